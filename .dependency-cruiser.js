/** Arrows point one way: functions -> lib/<resource> -> lib/table, functions -> lib/http. */
const RESOURCES = '^lib/(?!http/|table/|auth/|limits/)[^/]+/'

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from: { path: from }, to: { path: to } })

export default {
  forbidden: [
    { name: 'no-cycles', comment: 'Data flows one way.', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'resolvable',
      comment: 'Every import leads somewhere; aws-lambda is the name of @types/aws-lambda.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^aws-lambda$' },
    },
    forbid(
      'sdk-in-the-table-room',
      'Only lib/table talks to DynamoDB.',
      '^(functions|lib/(?!table/))',
      'node_modules/(@aws-sdk|@smithy)/',
    ),
    forbid('http-knows-no-resource', 'lib/http serves every resource.', '^lib/http/', RESOURCES),
    forbid('table-knows-no-resource', 'lib/table keeps every resource.', '^lib/table/', `${RESOURCES}|^lib/(http|auth)/`),
    forbid('auth-knows-no-resource', 'lib/auth comes before users.', '^lib/auth/', `${RESOURCES}|^lib/http/`),
    forbid(
      'limits-know-no-caller',
      'lib/limits counts for lib/auth and lib/http.',
      '^lib/limits/',
      `${RESOURCES}|^lib/(http|auth)/`,
    ),
    forbid('resources-know-no-http', 'Stores and policies do not know how they are called.', RESOURCES, '^lib/http/'),
    {
      name: 'only-the-sdk-speaks-http',
      comment:
        'An import of node:http is 50 ms of a cold start wherever it is not bundled; a function has nothing to fetch or to run.',
      severity: 'error',
      from: { path: '^(functions|lib)/' },
      to: { path: '^(node:)?(http|https|http2|tls|dgram|child_process|cluster|worker_threads)$', dependencyTypes: ['core'] },
    },
    {
      name: 'functions-stand-alone',
      comment: 'A function imports no other function.',
      severity: 'error',
      from: { path: '^functions/' },
      to: { path: '^functions/' },
    },
    forbid('nothing-shipped-imports-tools', 'tools/ and tests/ stay here.', '^(functions|lib)/', '^(tools|tests)/'),
    {
      name: 'no-development-dependency-is-shipped',
      comment: 'What a Lambda imports is a dependency; @types are erased.',
      severity: 'error',
      from: { path: '^(functions|lib)/' },
      to: { dependencyTypes: ['npm-dev'], pathNot: 'node_modules/@types/' },
    },
    {
      name: 'policies-are-pure',
      comment: 'A policy imports types, and who an actor can be.',
      severity: 'error',
      from: { path: 'policy\\.ts$' },
      to: { dependencyTypesNot: ['type-only'], pathNot: '^lib/auth/actor\\.ts$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
}
