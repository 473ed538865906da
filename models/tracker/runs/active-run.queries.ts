import { notFound } from '../../../core/errors/app-error.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { assertActiveRun } from '../run-state.rules.js';

export interface ActiveRun {
  /** Short id. */
  readonly row: number;
  readonly experiment: number;
}

/** A run that takes what is logged to it. @throws AppError not_found, bad_request for a deleted one */
export async function findActiveRun(tx: TenantTransaction, runId: string): Promise<ActiveRun> {
  const run = await tx.kysely
    .selectFrom('tracker_run')
    .where('tenantId', '=', tx.tenantId)
    .where('runId', '=', runId)
    .select(['id as row', 'runId', 'experiment', 'lifecycle'])
    .executeTakeFirst();
  if (!run) throw notFound('Run');
  assertActiveRun(run);
  return run;
}
