import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { internalUrl, type Settings } from '../../core/config/settings.js';
import type { Logger } from '../../core/logging/logger.js';
import { systemClock } from '../../core/ports/clock.js';
import { createProcessRunner, type ProcessRunner } from './process-runner.js';
import { defaultCacheDir } from './workload-dirs.js';

/** docker/runtimes of this installation, whether this file runs compiled or from its source. */
export function runtimesFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'docker/runtimes')) && folder !== dirname(folder)) folder = dirname(folder);
  return join(folder, 'docker/runtimes');
}

/** The runner as worker and API open it; the API only reads (status, log, endpoints). */
export const openProcessRunner = (settings: Settings, logger: Logger): ProcessRunner =>
  createProcessRunner({
    dataDir: settings.SERVICE_DATA_DIR,
    runtimesDir: runtimesFolder(),
    venvCacheDir: defaultCacheDir(),
    trackerUrl: `${internalUrl(settings)}/tracker`,
    logger,
    clock: systemClock,
  });
