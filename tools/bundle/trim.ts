import { readFileSync } from 'node:fs'
import type { Plugin } from 'esbuild'

/** A file of a dependency that a Lambda here never needs, and what stands for it in a bundle. */
interface Trim {
  /** the end of its path in node_modules */
  file: RegExp
  /** why a Lambda can do without it, and what it would cost */
  reason: string
  contents: string
}

const TRIMS: Trim[] = [
  {
    file: /@aws-sdk\/credential-provider-node\/dist-es\/index\.js$/,
    reason: 'Lambda gives credentials in the environment. SSO, STS, profiles, processes and instance metadata: 100 KB.',
    contents: `export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env'`,
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
    reason: 'Rules and partitions of 17 KB lead to the address of the region, or to the one that is configured.',
    contents: `
      const suffixOf = (region) => (region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com')
      export const defaultEndpointResolver = ({ Region, Endpoint }) =>
        ({ url: new URL(Endpoint ?? 'https://dynamodb.' + Region + '.' + suffixOf(Region)), properties: {} })`,
  },
  {
    file: /@aws-sdk\/core\/dist-es\/submodules\/client\/util-endpoints\/lib\/aws\/partition\.js$/,
    reason: 'Goes with those rules; the user agent alone still asks for its prefix.',
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
]

const trimmed = (path: string): string | undefined => TRIMS.find(({ file }) => file.test(path))?.contents

/** Leaves out of a bundle what its dependencies bring along for other places than Lambda. */
export const trim: Plugin = {
  name: 'trim',
  setup(build) {
    const files = new RegExp(TRIMS.map(({ file }) => file.source).join('|'))
    build.onLoad({ filter: files }, ({ path }) => ({ contents: trimmed(path) ?? '' }))
    // The SDK reads its own version there; a package's whole description is 6 KB of text.
    build.onLoad({ filter: /node_modules\/.*\/package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8'))
      return { contents: JSON.stringify({ version }), loader: 'json' }
    })
  },
}
