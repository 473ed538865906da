import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ensureRuntimeVenv, isEnvironmentReady } from '../../../adapters/process/runtime-environment.js';
import { locatePython, PYTHON_MISSING } from '../../../adapters/process/python-locator.js';
import { defaultCacheDir } from '../../../adapters/process/workload-dirs.js';
import { cacheDir, projectRoot } from '../../../cli/engines/engine-lock.js';
import { run } from './client-environment.js';

const LOCK = join(projectRoot(), 'tests/mlflow-clients/support/clients/lightning.txt');
const RUNTIME = {
  runtime: 'torchvision',
  runtimesDir: join(projectRoot(), 'docker/runtimes'),
  cacheDir: defaultCacheDir(),
};

/** Why torch cannot be had here; null where it is. Its environment of 5.4 GB is not made for this alone. */
export async function torchHereProblem(): Promise<string | null> {
  const python = await locatePython();
  if (python !== null && (await isEnvironmentReady(RUNTIME, python))) return null;
  return 'the environment of the runtime torchvision is not here; npm run learning makes it';
}

/** Folders of packages beside those of the client: Lightning, installed once into the cache, and those of the runtime. */
export async function torchPackages(): Promise<string> {
  const digest = createHash('sha256').update(readFileSync(LOCK)).digest('hex').slice(0, 16);
  const lightning = join(cacheDir(), `lightning-${digest}`);
  if (!existsSync(lightning)) await installLightning(lightning);
  const { python } = await ensureRuntimeVenv(RUNTIME);
  const { output } = await run(python, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))']);
  return [lightning, output.trim()].join(delimiter);
}

async function installLightning(target: string): Promise<void> {
  const python = await locatePython();
  if (python === null) throw new Error(PYTHON_MISSING);
  const parts = `${target}.${process.pid}`;
  const order = ['-m', 'pip', 'install', '--no-deps', '--require-hashes', '--target', parts, '-r', LOCK];
  const { code, output } = await run(python.executable, order, process.env, undefined, 120);
  if (code !== 0) {
    rmSync(parts, { recursive: true, force: true });
    throw new Error(`Lightning cannot be installed: ${output.trim().split('\n').at(-1)}`);
  }
  renameSync(parts, target);
}
