/** Pure code runs from its sources through swc; whatever needs an engine runs as compiled, as it ships. */
const swc = {
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: false, useDefineForClassFields: true },
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

/** Adapters that are pure: what they read is in memory. */
const PURE_ADAPTERS = ['hyparquet', 'sharp'];

const unit = {
  displayName: 'unit',
  roots: ['<rootDir>/tests'],
  testMatch: [
    '<rootDir>/tests/{core,formats,models,cli,web,architecture,contract}/**/*.test.ts',
    `<rootDir>/tests/adapters/{${PURE_ADAPTERS.join()}}/**/*.test.ts`,
    '<rootDir>/tests/workflows/**/*.state.test.ts',
  ],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['@swc/jest', swc] },
};

const compiled = {
  roots: ['<rootDir>/dist/tests'],
  transform: {},
  testRunner: '<rootDir>/dist/tests/setup/native-runner.js',
};

const integration = {
  ...compiled,
  displayName: 'integration',
  testMatch: ['<rootDir>/dist/tests/{api,workflows,activities,adapters,journeys}/**/*.test.js'],
  testPathIgnorePatterns: [`/tests/adapters/(${PURE_ADAPTERS.join('|')})/`, '\\.state\\.test\\.js$'],
  globalSetup: '<rootDir>/dist/tests/setup/global.js',
  globalTeardown: '<rootDir>/dist/tests/setup/teardown.js',
};

/** Platforms whose parts are killed, cut off or fed with hostile input. */
const faults = {
  ...integration,
  displayName: 'faults',
  testMatch: ['<rootDir>/dist/tests/faults/**/*.test.js'],
};

/** Platforms of the last release that are upgraded while they work; started by scripts/upgrade-lane.mjs. */
const upgrade = {
  ...integration,
  displayName: 'upgrade',
  testMatch: ['<rootDir>/dist/tests/upgrade/**/*.test.js'],
};

/** What a pooler could break: sessions, streams, transactions that follow each other on one connection. The lane of many machines runs whole jobs. */
const BEHIND_A_POOLER = [
  'pooler/*',
  'activities/audit-seal',
  'api/accounts/{sessions,two-processes}',
  'api/datasets/datasets',
  'api/event-streams',
  'api/isolation/streams',
  'api/tenants/tenants',
];

const pooler = {
  ...integration,
  displayName: 'pooler',
  testMatch: BEHIND_A_POOLER.map((file) => `<rootDir>/dist/tests/${file}.test.js`),
  globalSetup: '<rootDir>/dist/tests/setup/global-pooled.js',
};

/** Machines that are network namespaces, with PgBouncer; started by scripts/lane.mjs. */
const manyMachines = {
  ...pooler,
  displayName: 'many-machines',
  testMatch: ['<rootDir>/dist/tests/many-machines/**/*.test.js'],
};

/** The image of docker/Dockerfile, built and run in containers; started by scripts/lane.mjs. */
const containers = {
  ...integration,
  displayName: 'containers',
  testMatch: ['<rootDir>/dist/tests/containers/**/*.test.js'],
};

/** MLflow's own client; started by scripts/lane.mjs, which installs it. */
const mlflowClients = {
  ...integration,
  displayName: 'mlflow-clients',
  testMatch: ['<rootDir>/dist/tests/mlflow-clients/**/*.test.js'],
  globalSetup: undefined,
  globalTeardown: undefined,
};

/** Networks that learn from scratch; they need no engines. Started by scripts/lane.mjs. */
const learning = {
  ...compiled,
  displayName: 'learning',
  testMatch: ['<rootDir>/dist/tests/learning/**/*.test.js'],
};

/** The console in a real Chromium, on one whole platform with its sample; started by scripts/lane.mjs. */
const browser = {
  ...compiled,
  displayName: 'browser',
  testMatch: ['<rootDir>/dist/tests/browser/**/*.test.js'],
  globalSetup: '<rootDir>/dist/tests/setup/global-browser.js',
  globalTeardown: '<rootDir>/dist/tests/setup/teardown-browser.js',
};

export default {
  projects: [
    ...[
      unit,
      integration,
      faults,
      upgrade,
      pooler,
      manyMachines,
      containers,
      mlflowClients,
      learning,
      browser,
    ],
  ],
  testTimeout: 120_000,
  maxWorkers: 4,
  // Modules that a test file imported stay in the memory of its process, which ends at some 4 GiB.
  workerIdleMemoryLimit: '1500MB',
};
