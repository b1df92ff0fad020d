const LEVELS = ['debug', 'info', 'warn', 'error'] as const

type Level = (typeof LEVELS)[number]

const threshold = (): number => Math.max(LEVELS.indexOf((process.env.LOG_LEVEL?.toLowerCase() || 'info') as Level), 0)

/** Writes one JSON line, when `LOG_LEVEL` (default info) lets it. Never give it a token, a digest, a password or a body. */
export function log(level: Level, message: string, fields: Record<string, unknown> = {}): void {
  if (LEVELS.indexOf(level) < threshold()) return
  const line = { level, message, ...fields }
  // Lambda's own JSON logs take an object as it is; a text would be escaped into one of its fields.
  console[level](process.env.AWS_LAMBDA_LOG_FORMAT === 'JSON' ? line : JSON.stringify(line))
}

/** An error as a log line shows it: with its stack and its causes, without the data that SDK errors carry along. */
export function describeError(error: unknown, depth = 3): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  return { name, message, stack, ...(cause !== undefined && depth > 0 && { cause: describeError(cause, depth - 1) }) }
}
