import type { TenantTransaction } from '../orm/transaction.js';
import type { RunArtifact } from '../tracker/run.types.js';

/**
 * Where a training program keeps the state of an unfinished training, below its own directory and in its run
 * alike (runtime contract); each runtime has an ending of its own.
 */
const CHECKPOINT_PATHS = 'checkpoints/latest.%';

const checkpoints = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('tracker_run as r')
    .innerJoin('run_artifact as a', (join) =>
      join
        .onRef('a.tenantId', '=', 'r.tenantId')
        .onRef('a.run', '=', 'r.id')
        .on('a.path', 'like', CHECKPOINT_PATHS),
    )
    .where('r.tenantId', '=', tx.tenantId);

/** The checkpoint of the newest attempt that has stored one, or null. */
export async function findLatestCheckpoint(
  tx: TenantTransaction,
  experimentId: string,
): Promise<{ runId: string; attempt: number } | null> {
  const found = await checkpoints(tx)
    .select(['r.runId', 'r.trainingAttempt'])
    .where('r.trainingId', '=', experimentId)
    .where('r.lifecycle', '=', 'active')
    .orderBy('r.trainingAttempt', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found ? { runId: found.runId, attempt: found.trainingAttempt as number } : null;
}

/** The stored checkpoint of a run; null when there is none (any more). */
export async function findCheckpoint(
  tx: TenantTransaction,
  runId: string,
): Promise<Pick<RunArtifact, 'path' | 'objectKey' | 'sha256'> | null> {
  const found = checkpoints(tx).select(['a.path', 'a.objectKey', 'a.sha256']).where('r.runId', '=', runId);
  return (await found.orderBy('a.path').limit(1).executeTakeFirst()) ?? null;
}
