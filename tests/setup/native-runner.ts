import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

/** What is replaced of the runtime that Jest makes for a file. */
interface Runtime {
  requireInternalModule(path: string): unknown;
  unstable_importModule(path: string): Promise<unknown>;
  requireModuleOrMock(from: string, name: string): object;
}

/** Where `jest.setTimeout` and `jest.useFakeTimers` take effect. */
interface Environment {
  global: object;
  fakeTimersModern: object;
}

type Runner = (
  globalConfig: unknown,
  config: unknown,
  environment: Environment,
  runtime: Runtime,
  file: string,
  report: unknown,
) => Promise<unknown>;

const require = createRequire(import.meta.url);
const circus = (require('jest-circus/runner') as { default: Runner }).default;
/** What Jest leaves in the realm that a file had to itself. */
const OF_A_FILE = [
  'EVENT_HANDLERS',
  'TEST_TIMEOUT_SYMBOL',
  'RETRY_TIMES',
  'WAIT_BEFORE_RETRY',
  'RETRY_IMMEDIATELY',
  'LOG_ERRORS_BEFORE_RETRY',
];
const TESTS = new URL('../', import.meta.url).href;

let count = 0;
/** Before and after the files Jest loads what sets the whole run up and down, which is one and the same. */
let isRunning = false;
let globals: object = {};
/** That of the file that runs now: `describe`, `expect` and the others. */
export const globalsOfFile = (): object => globals;

registerHooks({
  resolve(specifier, context, next) {
    if (!isRunning) return next(specifier, context);
    if (specifier === '@jest/globals') return { url: `jest-globals:${count}`, shortCircuit: true };
    const resolved = next(specifier, context);
    const isOfTests = resolved.url.startsWith(TESTS) && resolved.url !== import.meta.url;
    return isOfTests ? { ...resolved, url: `${resolved.url}?file=${count}` } : resolved;
  },
  load(url, context, next) {
    if (!url.startsWith('jest-globals:')) return next(url, context);
    const source = `import { globalsOfFile } from '${import.meta.url}';
      export const { ${Object.keys(globals).join(', ')} } = globalsOfFile();`;
    return { format: 'module', source, shortCircuit: true };
  },
});

/**
 * Runs a file as Jest does, but Node loads its modules and Jest's own: the platform and its packages once for all files of a
 * process and without a realm of their own, as they ship, those of the tests anew for each file. Jest's loader takes two
 * seconds for each file, and an error of Node's is no `Error` to what it loads.
 */
const run: Runner = async (globalConfig, config, environment, runtime, file, report) => {
  count += 1;
  const env = { ...process.env };
  for (const name of OF_A_FILE) Reflect.deleteProperty(globalThis, Symbol.for(name));
  const FakeTimers = environment.fakeTimersModern.constructor as new (options: object) => object;
  environment.global = globalThis;
  environment.fakeTimersModern = new FakeTimers({ config, global: globalThis });
  runtime.requireInternalModule = (path) => {
    delete require.cache[path];
    return require(path);
  };
  runtime.unstable_importModule = (path) => {
    globals = runtime.requireModuleOrMock(path, '@jest/globals');
    return import(pathToFileURL(path).href);
  };
  isRunning = true;
  try {
    return await circus(globalConfig, config, environment, runtime, file, report);
  } finally {
    isRunning = false;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
  }
};

export default run;
