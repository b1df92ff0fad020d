/**
 * Loads the bundles that are its arguments one after the other, sends each a first event, which needs a read of the table to be
 * refused, and prints as JSON which of Node's own modules were loaded that no bundle may load.
 */
const FORBIDDEN = /undici|http2|child_process/

const event = {
  version: '2.0',
  routeKey: '$default',
  rawPath: '/',
  rawQueryString: '',
  headers: { authorization: `Bearer ${'0'.repeat(64)}` },
  requestContext: { http: { method: 'GET', sourceIp: '192.0.2.1' } },
  isBase64Encoded: false,
  Records: [],
}
const context = { awsRequestId: 'probe', functionName: 'probe', getRemainingTimeInMillis: () => 10_000 }

const { moduleLoadList } = process as unknown as { moduleLoadList: string[] }
const found: Record<string, string[]> = {}

for (const file of process.argv.slice(2)) {
  const before = moduleLoadList.length
  const { handler } = await import(file)
  await handler(event, context)
  found[file] = moduleLoadList.slice(before).filter((name) => FORBIDDEN.test(name))
}

console.log(JSON.stringify(found))
