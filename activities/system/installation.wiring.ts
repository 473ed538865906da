import path from 'node:path';
import { removeAllWorkloads } from '../../adapters/process/remove-workloads.js';
import { prepareNamespace } from '../../adapters/temporal/prepare-namespace.js';
import { hasSchedule, upsertSchedule } from '../../adapters/temporal/schedules.js';
import { CONTROL_QUEUE } from '../../core/events/task-queues.js';
import * as maintenance from '../../workflows/system/maintenance.contract.js';
import { type BackgroundLoop, pause } from '../support/background.js';
import type { WorkerDeps } from '../support/domain-work.js';
import type { OpenedPorts } from '../support/ports.wiring.js';
import { endEarlierWorkflows, removeEarlierWorkloads } from './restored-installation.js';

/** A Temporal that takes connections and never answers must not hold the worker at its start for ever. */
const PREPARING_MS = 30_000;
const UPKEEP_MS = 5 * 60_000;
/** What a workload from before a restore may take to end. */
const REMOVAL_GRACE_S = 5;

/** Namespace, search attribute and schedules; idempotent, throws while Temporal is away. */
export async function prepareTemporal(deps: OpenedPorts['deps']): Promise<void> {
  const { engine, settings } = deps;
  await engine.connection.withDeadline(Date.now() + PREPARING_MS, async () => {
    await prepareNamespace(engine.connection, settings.TEMPORAL_NAMESPACE);
    await endEarlierWorkflows(deps);
    await upsertSchedule(engine.client, {
      ...{ scheduleId: maintenance.MAINTENANCE_SCHEDULE, workflowType: maintenance.MAINTENANCE_WORKFLOW },
      ...{ taskQueue: CONTROL_QUEUE, everyS: maintenance.MAINTENANCE_EVERY_S },
    });
  });
}

/**
 * Makes anew what `prepareTemporal` made, for as long as the worker runs: a Temporal whose data were lost under it comes back
 * without the schedule of the housekeeping, which finds the work that was lost with them.
 */
export const createTemporalUpkeep = (deps: OpenedPorts['deps'], everyMs = UPKEEP_MS): BackgroundLoop => ({
  name: 'temporal-upkeep',
  run: async (signal) => {
    for (await pause(everyMs, signal); !signal.aborted; await pause(everyMs, signal))
      if (!(await hasSchedule(deps.engine.client, maintenance.MAINTENANCE_SCHEDULE)))
        await prepareTemporal(deps);
  },
});

/** Ends what this host ran before the installation was restored. */
export const endEarlierWorkloads = (
  { database, logger, settings }: WorkerDeps,
  hostId: string,
): Promise<void> =>
  removeEarlierWorkloads({
    ...{ database, logger, hostId },
    removeWorkloads: () => removeAllWorkloads(path.resolve(settings.SERVICE_DATA_DIR), REMOVAL_GRACE_S),
  });
