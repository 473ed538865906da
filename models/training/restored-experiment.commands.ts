import { audit } from '../audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../audit/audit.types.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { closeRun } from '../tracker/run.commands.js';
import { retryExperiment } from './attempt.commands.js';
import { endOfCanceled, RUN_END } from './attempt-end.queries.js';
import { end, lockAttempt } from './experiment-state.commands.js';
import { isTerminal } from './experiment-state.rules.js';
import type { AttemptRef } from './experiment.types.js';
import { closeSteps } from './step.commands.js';

/**
 * The job of an attempt that was under way when a backup was taken does not exist any more: the attempt has
 * failed, and the next one goes on from its newest checkpoint. One that was to be canceled is canceled.
 */
export async function restartRestoredExperiment(
  tx: TenantTransaction,
  ref: AttemptRef,
  reason: string,
): Promise<void> {
  const found = await lockAttempt(tx, ref);
  if (!found || isTerminal(found.status)) return;
  const wasUnwanted = found.cancelAskedAt !== null;
  const { status, message } = wasUnwanted
    ? await endOfCanceled(tx, ref, reason)
    : { status: 'FAILED' as const, message: reason };
  await closeRun(tx, found.trackerRunId, RUN_END[status]);
  await end(tx, ref, status, message);
  await closeSteps(tx, ref, message);
  await audit(tx, tx.tenantId, SYSTEM_ACTOR, {
    action: 'experiment.end',
    outcome: wasUnwanted ? 'success' : 'failed',
    target: { kind: 'experiment', id: ref.experimentId, label: found.name },
    detail: { status, message, attempt: ref.attempt },
  });
  if (!wasUnwanted) await retryExperiment(tx, SYSTEM_ACTOR, ref.experimentId, true);
}
