import { lookup } from 'node:dns/promises';
import { internalUrl, type Settings } from '../../core/config/settings.js';
import type { Logger } from '../../core/logging/logger.js';
import { systemClock } from '../../core/ports/clock.js';
import type { FreshDownloads, LocalRunner } from '../../core/ports/workload-runner.js';
import { createProcessRunner } from './process-runner.js';
import { runtimesFolder } from './runtimes-folder.js';
import { storeId } from './store-id.js';
import { defaultCacheDir, workloadsRoot } from './workload-dirs.js';

export interface OpenedRunner {
  readonly runner: LocalRunner;
  /** Marks the directory of its workloads. */
  readonly hostId: string;
  readonly address: string;
}

/** The runner of this machine, as a worker with the role `host` opens it. @throws Error for an unknown name */
export async function openWorkloadRunner(
  settings: Settings,
  freshDownloads: FreshDownloads,
  logger: Logger,
): Promise<OpenedRunner> {
  const { address } = await lookup(settings.SERVICE_WORKLOAD_ADDRESS, { family: 4 });
  const runner = createProcessRunner({
    dataDir: settings.SERVICE_DATA_DIR,
    runtimesDir: runtimesFolder(),
    venvCacheDir: defaultCacheDir(),
    switchedOn: settings.SERVICE_RUNTIMES,
    trackerUrl: `${internalUrl(settings)}/tracker`,
    storeUrl: settings.S3_ENDPOINT,
    ...{ address, freshDownloads, logger, clock: systemClock },
  });
  return { runner, address, hostId: storeId(workloadsRoot(settings.SERVICE_DATA_DIR)) };
}
