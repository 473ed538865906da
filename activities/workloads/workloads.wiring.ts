import { hostname, totalmem } from 'node:os';
import path from 'node:path';
import type { Settings } from '../../core/config/settings.js';
import type { WorkloadRunner } from '../../core/ports/workload-runner.js';
import { sessionUrl } from '../../models/orm/database-options.js';
import { type HostIdentity, OVERCOMMIT } from '../../models/workloads/host.types.js';
import type { BackgroundLoop } from '../support/background.js';
import type { WorkerDeps } from '../support/domain-work.js';
import { HostAgent } from './host-agent.js';
import { createHostBeat } from './host-beat.js';
import { createHostLoop } from './host-loop.js';
import { createHostWatch } from './host-watch.js';
import type { WorkloadLogs } from './workload-logs.js';

/** What runs workloads on this machine. */
export interface OpenHost {
  readonly runner: WorkloadRunner & { run(signal: AbortSignal): Promise<void> };
  readonly hostId: string;
  readonly address: string;
}

/** The part of the worker that runs workloads. */
export function wireHost(
  { database, objects, listener, settings, logger }: WorkerDeps,
  { runner, hostId, address }: OpenHost,
  logs: readonly WorkloadLogs[],
): BackgroundLoop[] {
  const host = hostIdentity(settings, hostId, address);
  const keys = settings.SERVICE_SECRET_KEYS;
  const agent = new HostAgent({ database, objects, keys, runner, hostId, logs, logger });
  return [
    createHostBeat({
      ...{ database, host, runner, orchestrator: settings.SERVICE_ORCHESTRATOR },
      isLooking: () => agent.isLooking,
      problem: () => agent.problem,
    }),
    createHostLoop({
      ...{ agent, runner, listener, logger, place: hostId },
      connectionString: sessionUrl(settings),
    }),
  ];
}

/** What any worker does for the hosts of the installation. */
export const wireHostWatch = ({ database, settings, logger }: WorkerDeps): BackgroundLoop =>
  createHostWatch({ database, goneAfterS: settings.SERVICE_HOST_GONE_S, logger });

function hostIdentity(settings: Settings, id: string, address: string): HostIdentity {
  const ownMemory = Math.min(totalmem(), process.constrainedMemory() || totalmem()) * OVERCOMMIT;
  const memoryMb = settings.SERVICE_HOST_MEMORY_MB;
  return {
    ...{ id, address, name: hostname() },
    dataDir: path.resolve(settings.SERVICE_DATA_DIR),
    memoryBytes: memoryMb === undefined ? ownMemory : memoryMb * 2 ** 20,
    maxJobs: settings.SERVICE_HOST_TRAININGS === 0 ? null : settings.SERVICE_HOST_TRAININGS,
    startedAt: new Date(),
  };
}
