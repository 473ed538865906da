import type { TenantTransaction } from '../../orm/transaction.js';
import type { RunningTraining } from './forecast.rules.js';
import { RUNNING_TRAINING } from './running-trainings.sql.js';

/** The current attempt of an experiment, whether a host has taken it or not; null for an unknown one. */
export async function findRunningTraining(
  tx: TenantTransaction,
  experimentId: string,
): Promise<RunningTraining | null> {
  const [found] = await tx.rows<RunningTraining>(RUNNING_TRAINING, [tx.tenantId, experimentId]);
  return found ?? null;
}
