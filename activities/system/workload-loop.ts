import type { Logger } from '../../core/logging/logger.js';
import { holdAdvisoryLock } from '../../models/orm/advisory-lock.js';
import type { BackgroundLoop } from '../support/background.js';

export interface WorkloadLoopOptions {
  /** Carries out the wishes of all workloads of this machine until the signal comes. */
  readonly runner: { run(signal: AbortSignal): Promise<void> };
  readonly connectionString: string;
  /** Names the machine and data directory: one holder for each. */
  readonly place: string;
  readonly logger: Logger;
}

/**
 * Of the workers that share a machine one looks after its workloads; when it dies the next one takes over.
 */
export const createWorkloadLoop = ({
  runner,
  connectionString,
  place,
  logger,
}: WorkloadLoopOptions): BackgroundLoop => ({
  name: 'workloads',
  run: (signal) =>
    holdAdvisoryLock({ connectionString, name: `workloads:${place}`, signal }, async (held) => {
      logger.info({ place }, 'This worker looks after the workloads of the machine.');
      await runner.run(held);
    }),
});
