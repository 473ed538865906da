import { notFound } from '../../../core/errors/app-error.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { assertActiveRun, assertNoTrainedModel } from '../run-state.rules.js';

export interface ActiveRun {
  /** Short id. */
  readonly row: number;
  readonly experiment: number;
  /** The training that it is the run of, or null. */
  readonly trainingId: string | null;
}

/** A run that takes what is logged to it. @throws AppError not_found, bad_request for a deleted one */
export async function findActiveRun(tx: TenantTransaction, runId: string): Promise<ActiveRun> {
  const run = await tx.kysely
    .selectFrom('tracker_run')
    .where('tenantId', '=', tx.tenantId)
    .where('runId', '=', runId)
    .select(['id as row', 'runId', 'experiment', 'lifecycle', 'trainingId'])
    .executeTakeFirst();
  if (!run) throw notFound('Run');
  assertActiveRun(run);
  return run;
}

/**
 * A run whose files at or below a path a person's client may change.
 * @throws AppError as `findActiveRun`; forbidden for the model of a training
 */
export async function findRunForFiles(
  tx: TenantTransaction,
  runId: string,
  path: string,
): Promise<ActiveRun> {
  const run = await findActiveRun(tx, runId);
  assertNoTrainedModel(run, path);
  return run;
}
