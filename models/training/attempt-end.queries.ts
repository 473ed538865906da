import type { TenantTransaction } from '../orm/transaction.js';
import type { RunEnd } from '../tracker/run.types.js';
import type { AttemptRef, ExperimentEnd, StepKey, StepStatus } from './experiment.types.js';

/** Run and experiment of an attempt end alike. */
export const RUN_END: Readonly<Record<ExperimentEnd, RunEnd>> = {
  SUCCEEDED: 'FINISHED',
  FAILED: 'FAILED',
  CANCELED: 'KILLED',
};

export interface SettledEnd {
  readonly status: ExperimentEnd;
  readonly message: string;
}

/**
 * How an attempt ends that somebody canceled. Once it has registered its model it has succeeded, for the version stays: the
 * cancel ends only what would follow. Lock the experiment first: registering locks it too, so that one of both comes first.
 */
export async function endOfCanceled(
  tx: TenantTransaction,
  ref: AttemptRef,
  message: string,
): Promise<SettledEnd> {
  const registered = await findStep(tx, ref, 'register', 'done');
  if (!registered) return { status: 'CANCELED', message };
  return { status: 'SUCCEEDED', message: `Canceled after its model was registered: ${registered.message}.` };
}

/** How an attempt ends that came to its end: it says so where it could make no endpoint. */
export async function endOfSucceeded(
  tx: TenantTransaction,
  ref: AttemptRef,
  message: string,
): Promise<SettledEnd> {
  const failed = await findStep(tx, ref, 'endpoint', 'failed');
  return { status: 'SUCCEEDED', message: failed ? `No endpoint was made: ${failed.message}` : message };
}

const findStep = (
  tx: TenantTransaction,
  { experimentId, attempt }: AttemptRef,
  key: StepKey,
  status: StepStatus,
): Promise<{ message: string } | undefined> =>
  tx.kysely
    .selectFrom('training_step')
    .where('tenantId', '=', tx.tenantId)
    .where('experimentId', '=', experimentId)
    .where('attempt', '=', attempt)
    .where('key', '=', key)
    .where('status', '=', status)
    .select('message')
    .executeTakeFirst();
