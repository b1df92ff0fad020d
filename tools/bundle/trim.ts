import { readFileSync } from 'node:fs'
import type { Plugin } from 'esbuild'

/** A file of a dependency that a Lambda here never needs, and what stands for it in a bundle. */
interface Trim {
  /** the end of its path in node_modules */
  file: RegExp
  /** why a Lambda can do without it, and what it would cost */
  reason: string
  contents: string | ((original: string) => string)
}

/** The file with each text replaced by the one beside it. A build fails where a text is gone. */
const replacing =
  (others: Record<string, string>) =>
  (original: string): string =>
    Object.entries(others).reduce((contents, [text, other]) => {
      if (!contents.includes(text)) throw new Error(`There is no "${text}" left to trim`)
      return contents.replaceAll(text, other)
    }, original)

/** Files that copy all settings of the client into a new object for every request, only to read a few of them. */
const COPIES_OF_SETTINGS = [
  /@smithy\/core\/dist-es\/submodules\/schema\/middleware\/schemaSerializationMiddleware\.js$/,
  /@smithy\/core\/dist-es\/submodules\/schema\/middleware\/schemaDeserializationMiddleware\.js$/,
  /@aws-sdk\/core\/dist-es\/submodules\/httpAuthSchemes\/aws_sdk\/resolveAwsSdkSigV4Config\.js$/,
]

export const TRIMS: Trim[] = [
  {
    file: /@aws-sdk\/credential-provider-node\/dist-es\/index\.js$/,
    reason: 'Lambda gives credentials in the environment. SSO, STS, profiles, processes and instance metadata: 100 KB.',
    contents: `
      import { fromEnv } from '@aws-sdk/credential-provider-env'
      import { memoizeChain } from './runtime/memoize-chain'
      export const defaultProvider = () => memoizeChain([fromEnv()])`,
  },
  {
    file: /@smithy\/core\/dist-es\/submodules\/config\/node-config-provider\/fromSharedConfigFiles\.js$/,
    reason:
      'There is no ~/.aws on Lambda: what the environment does not set has its default, without a look for two files first.',
    contents:
      'export const fromSharedConfigFiles = () => () => Promise.reject(Object.assign(new Error(), { tryNextLink: true }))',
  },
  {
    file: /@smithy\/core\/dist-es\/submodules\/config\/config-resolver\/regionConfig\/getInstanceMetadataRegion\.js$/,
    reason: 'Lambda names the region in AWS_REGION; instance metadata is EC2.',
    contents: 'export const getInstanceMetadataRegion = async () => undefined',
  },
  {
    file: /@aws-sdk\/middleware-endpoint-discovery\/dist-es\/index\.js$/,
    reason:
      'DynamoDB has one endpoint per region, or the one that AWS_ENDPOINT_URL_DYNAMODB names. It brings an LRU cache of 10 KB.',
    contents:
      'export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {}\nexport const resolveEndpointDiscoveryConfig = (config) => config',
  },
  {
    file: /@smithy\/core\/dist-es\/submodules\/event-streams\/index\.js$/,
    reason: 'No operation of DynamoDB streams events: 18 KB.',
    contents: 'export const EventStreamSerde = undefined, eventStreamSerdeProvider = undefined',
  },
  {
    file: /@aws-sdk\/client-dynamodb\/dist-es\/endpoint\/endpointResolver\.js$/,
    reason: 'Our client is given its endpoint (lib/table/client.ts); the rules and partitions that lead to one: 17 KB.',
    contents: 'export const defaultEndpointResolver = undefined',
  },
  {
    file: /@smithy\/core\/dist-es\/submodules\/endpoints\/middleware-endpoint\/endpointMiddleware\.js$/,
    reason: 'Would follow those rules anew in every request.',
    contents: 'export const bindEndpointMiddleware = () => () => (next) => next',
  },
  {
    file: /@aws-sdk\/core\/dist-es\/submodules\/client\/util-endpoints\/lib\/aws\/partition\.js$/,
    reason: 'Goes with those rules.',
    contents: `
      export const partition = undefined, setPartitionInfo = undefined, useDefaultPartitionInfo = undefined
      export const getUserAgentPrefix = () => ''`,
  },
  {
    file: /@aws-sdk\/core\/dist-es\/submodules\/client\/middleware-recursion-detection\/getRecursionDetectionPlugin\.js$/,
    reason: "Lambda's detection of loops covers SQS, SNS and S3. A wait per request for a store of 3 KB.",
    contents: 'export const getRecursionDetectionPlugin = () => ({ applyToStack: () => {} })',
  },
  {
    file: /@smithy\/core\/dist-es\/submodules\/checksum\/sha256\/Sha256Js\.js$/,
    reason: 'Node on Lambda has OpenSSL.',
    contents: 'export const Sha256Js = undefined',
  },
  {
    file: /@smithy\/signature-v4\/dist-es\/HeaderFormatter\.js$/,
    reason: 'Signs the messages of event streams.',
    contents: 'export class HeaderFormatter {}',
  },
  {
    file: /@aws-sdk\/core\/dist-es\/submodules\/client\/middleware-logger\/loggerMiddleware\.js$/,
    reason: 'The SDK has no logger here, and would still copy every request and answer without what no log may show.',
    contents: `
      export const loggerMiddleware = undefined, loggerMiddlewareOptions = undefined
      export const getLoggerPlugin = () => ({ applyToStack: () => {} })`,
  },
  {
    file: /@aws-sdk\/core\/dist-es\/submodules\/client\/middleware-user-agent\/user-agent-middleware\.js$/,
    reason:
      'Would tell AWS in every request, put together anew, which features of the SDK it used. Our name is enough for CloudTrail.',
    contents: `
      export const userAgentMiddleware = undefined, getUserAgentMiddlewareOptions = undefined
      const name = (next) => (args) => {
        args.request.headers['user-agent'] = 'masthead'
        return next(args)
      }
      export const getUserAgentPlugin = () => ({ applyToStack: (stack) => stack.add(name, { step: 'build' }) })`,
  },
  ...COPIES_OF_SETTINGS.map((file) => ({
    file,
    reason: 'A prototype can be read as well as a copy, which takes 8 % of the CPU of a warm read.',
    contents: replacing({ '...config,': '__proto__: config,' }),
  })),
  {
    file: /@smithy\/core\/dist-es\/submodules\/retry\/middleware-retry\/retryMiddleware\.js$/,
    reason: 'An error with its stack for every request, in case that one is thrown, which is another then: 5 % of the same.',
    contents: replacing({ 'let lastError = new Error()': 'let lastError' }),
  },
  {
    file: /@aws-sdk\/lib-dynamodb\/dist-es\/commands\/utils\.js$/,
    reason:
      'The table promises no order of attributes. Records made of them in one order have one shape, to which V8 writes faster: 5 % of a list of 20.',
    contents: replacing({
      'Object.entries(obj).reduce((acc, [key, value]) =>':
        'Object.entries(obj).sort(([one], [other]) => (one < other ? -1 : 1)).reduce((acc, [key, value]) =>',
    }),
  },
  {
    file: /@smithy\/core\/dist-es\/submodules\/checksum\/sha256\/Sha256Node\.js$/,
    reason: 'Signs all day with one key, which Node takes for its own again each time, and copies each hash: 6 % of the same.',
    contents: replacing({
      'import { createHash, createHmac }': 'const keys = new WeakMap()\nimport { createHash, createHmac, createSecretKey }',
      'return Buffer.from(data.buffer, data.byteOffset, data.byteLength)':
        'return keys.get(data) ?? keys.set(data, createSecretKey(data)).get(data)',
      'this.hash.copy().digest()': 'this.hash.digest()',
    }),
  },
  {
    file: /@smithy\/signature-v4\/dist-es\/credentialDerivation\.js$/,
    reason: 'Finds the key of the day by a hash of its secret in every request. The id of a secret is as good a name: 3 %.',
    contents: replacing({
      'const credsHash = await hmac(sha256Constructor, credentials.secretAccessKey, credentials.accessKeyId);': '',
      'toHex(credsHash)': 'credentials.accessKeyId',
    }),
  },
]

function trimmed(path: string): string {
  const { contents = '' } = TRIMS.find(({ file }) => file.test(path)) ?? {}
  return typeof contents === 'string' ? contents : contents(readFileSync(path, 'utf8'))
}

/** Leaves out of a bundle what its dependencies bring along for other places than Lambda. */
export const trim: Plugin = {
  name: 'trim',
  setup(build) {
    const files = new RegExp(TRIMS.map(({ file }) => file.source).join('|'))
    build.onLoad({ filter: files }, ({ path }) => ({ contents: trimmed(path) }))
    // The SDK reads its own version there; a package's whole description is 6 KB of text.
    build.onLoad({ filter: /node_modules\/.*\/package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8'))
      return { contents: JSON.stringify({ version }), loader: 'json' }
    })
  },
}
