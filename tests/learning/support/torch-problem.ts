import { join } from 'node:path';
import { environmentSize, roomProblem } from '../../../adapters/process/environment-size.js';
import { locatePython, PYTHON_MISSING } from '../../../adapters/process/python-locator.js';
import { ensureRuntimeVenv, isEnvironmentReady } from '../../../adapters/process/runtime-environment.js';
import { defaultCacheDir } from '../../../adapters/process/workload-dirs.js';
import { projectRoot } from '../../../cli/engines/engine-lock.js';

/** Half as much again as it takes on a machine that is busy; the lane has other things to do. */
const LIMIT_MS = 180_000;

/** Why the environment of a runtime cannot be made here; null once it is there. */
export async function torchProblem(runtime = 'torchvision'): Promise<string | null> {
  const options = {
    runtime,
    runtimesDir: join(projectRoot(), 'docker/runtimes'),
    cacheDir: defaultCacheDir(),
  };
  const python = await locatePython();
  if (python === null) return PYTHON_MISSING;
  if (await isEnvironmentReady(options, python)) return null;
  const room = await roomProblem(
    options.cacheDir,
    await environmentSize(options.runtimesDir, options.runtime),
  );
  if (room !== null) return room;
  const signal = AbortSignal.timeout(LIMIT_MS);
  try {
    await ensureRuntimeVenv({ ...options, signal });
    return null;
  } catch (error) {
    return signal.aborted ? `${runtime} is not here after ${LIMIT_MS / 1000} s` : (error as Error).message;
  }
}
