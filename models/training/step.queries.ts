import type { TenantTransaction } from '../orm/transaction.js';
import type { ExperimentStep } from './experiment.types.js';

/** The plan of an attempt, in order. */
export const listSteps = (
  tx: TenantTransaction,
  experimentId: string,
  attempt: number,
): Promise<ExperimentStep[]> =>
  tx.kysely
    .selectFrom('training_step')
    .select(['key', 'title', 'status', 'progress', 'message', 'startedAt', 'finishedAt'])
    .where('tenantId', '=', tx.tenantId)
    .where('experimentId', '=', experimentId)
    .where('attempt', '=', attempt)
    .orderBy('position')
    .execute();
