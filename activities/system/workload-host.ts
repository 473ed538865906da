import type { Logger } from '../../core/logging/logger.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { holdWorkloads } from '../../models/system/processes.platform.js';
import { mayHoldLater, refusalOf, type WorkloadPlace } from '../../models/system/workload-host.rules.js';
import { type BackgroundLoop, pause } from '../support/background.js';

const EVERY_MS = 5000;

/** Another machine runs the workloads of this installation. The message is for the operator. */
export class WorkloadsHeldElsewhere extends Error {
  override readonly name = 'WorkloadsHeldElsewhere';
}

export interface WorkloadHostParts {
  readonly database: Database;
  readonly place: WorkloadPlace;
  readonly logger: Logger;
}

/**
 * Makes this machine the one that runs workloads; waits while the database is away, and while a holder that
 * this one may follow could still be alive.
 * @throws WorkloadsHeldElsewhere
 */
export async function claimWorkloads(
  { database, place, logger }: WorkloadHostParts,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const held = await holdWorkloads(database, place).catch((error: unknown) => error as Error);
    if (held === null) return;
    if (!(held instanceof Error) && !mayHoldLater(place, held))
      throw new WorkloadsHeldElsewhere(refusalOf(place, held));
    logger.warn(
      { reason: held instanceof Error ? held.message : refusalOf(place, held) },
      'The workloads cannot be looked after yet.',
    );
    await pause(EVERY_MS, signal);
  }
}

/**
 * Says every five seconds that the machine still holds them. @param onLost called when another machine took
 * over meanwhile
 */
export const createWorkloadHostLoop = (
  { database, place, logger }: WorkloadHostParts,
  onLost: () => void,
): BackgroundLoop => ({
  name: 'workload-host',
  run: async (signal) => {
    while (!signal.aborted) {
      const held = await holdWorkloads(database, place);
      if (held !== null) {
        logger.error(refusalOf(place, held));
        onLost();
        return;
      }
      await pause(EVERY_MS, signal);
    }
  },
});
