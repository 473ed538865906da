import type { TenantTransaction } from '../orm/transaction.js';
import type { RunArtifact } from '../tracker/run.types.js';

/** Finished epochs of the checkpoint that a run has (runtime contract). */
const CHECKPOINT_METRIC = 'system/checkpoint';

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

export interface StoredCheckpoint {
  readonly runId: string;
  readonly attempt: number;
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly storedAt: Date;
  /** Finished epochs; null where its program did not say. */
  readonly epoch: number | null;
  /** Metrics of that epoch, by name. */
  readonly metrics: ReadonlyArray<{ readonly name: string; readonly value: number }>;
}

/** The newest state that each attempt has stored, newest attempt first. */
export async function listCheckpoints(
  tx: TenantTransaction,
  experimentId: string,
  limit: number,
): Promise<StoredCheckpoint[]> {
  const found = await checkpoints(tx)
    .leftJoin('metric_key as k', (join) =>
      join.onRef('k.tenantId', '=', 'r.tenantId').on('k.name', '=', CHECKPOINT_METRIC),
    )
    .leftJoin('metric_latest as l', (join) => join.onRef('l.run', '=', 'r.id').onRef('l.key', '=', 'k.id'))
    .select(['r.id as run', 'r.runId', 'r.trainingAttempt', 'a.path', 'a.sizeBytes', 'a.sha256'])
    .select(['a.updatedAt as storedAt', 'l.value as epoch'])
    .where('r.trainingId', '=', experimentId)
    .where('r.lifecycle', '=', 'active')
    .orderBy('r.trainingAttempt', 'desc')
    .orderBy('a.path')
    .limit(limit)
    .execute();
  const listed: StoredCheckpoint[] = [];
  for (const { run, trainingAttempt, ...checkpoint } of found)
    listed.push({
      ...checkpoint,
      attempt: trainingAttempt as number,
      metrics: checkpoint.epoch === null ? [] : await metricsAt(tx, run, checkpoint.epoch),
    });
  return listed;
}

/** Names that people read; those of the platform itself are left out. */
const metricsAt = (tx: TenantTransaction, run: number, step: number) =>
  tx.kysely
    .selectFrom('metric_latest as l')
    .innerJoin('metric_key as k', 'k.id', 'l.key')
    .innerJoin('metric_point as p', (join) =>
      join.onRef('p.run', '=', 'l.run').onRef('p.key', '=', 'l.key').on('p.step', '=', step),
    )
    .where('l.run', '=', run)
    .where('k.name', 'not like', 'system/%')
    .distinctOn('k.name')
    .select(['k.name', 'p.value'])
    .orderBy('k.name')
    .orderBy('p.ts', 'desc')
    .limit(100)
    .execute();
