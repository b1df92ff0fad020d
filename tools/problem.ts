/** Something a person can act on: shown as its one sentence, without a stack. */
export class Problem extends Error {}

/** Runs a command of package.json: a Problem ends it with its sentence on stderr, anything else with its stack; both exit 1. */
export async function command(run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    console.error(error instanceof Problem ? error.message : error)
    process.exit(1)
  }
}
