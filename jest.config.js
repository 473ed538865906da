/** Two lanes: pure code runs from its sources through swc; whatever needs an engine runs as compiled, as it ships. */
const swc = {
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: false, useDefineForClassFields: true },
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

const unit = {
  displayName: 'unit',
  roots: ['<rootDir>/tests'],
  testMatch: ['<rootDir>/tests/{core,models,cli,web,architecture,contract}/**/*.test.ts', '<rootDir>/tests/workflows/**/*.state.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['@swc/jest', swc] },
};

const integration = {
  displayName: 'integration',
  roots: ['<rootDir>/dist/tests'],
  testMatch: ['<rootDir>/dist/tests/{api,workflows,activities,journeys,faults}/**/*.test.js'],
  testPathIgnorePatterns: ['\\.state\\.test\\.js$'],
  transform: {},
  globalSetup: '<rootDir>/dist/tests/setup/global.js',
  globalTeardown: '<rootDir>/dist/tests/setup/teardown.js',
};

export default { projects: [unit, integration], testTimeout: 60_000, maxWorkers: 2 };
