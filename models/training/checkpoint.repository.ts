import type { TenantTransaction } from '../orm/transaction.js';
import type { RunArtifact } from '../tracker/run.types.js';

/** Where a training program keeps the state of an unfinished training, below its own directory and in its run alike (runtime contract). */
export const CHECKPOINT_PATH = 'checkpoints/latest.skops';

/** The checkpoint of the newest attempt that has stored one, or null. */
export async function findLatestCheckpoint(tx: TenantTransaction, experimentId: string): Promise<{ runId: string; attempt: number } | null> {
  const [row] = await tx.query<{ run_id: string; attempt: number }>(
    `select r.run_id, r.training_attempt as attempt from tracker_run r
     join run_artifact a on a.tenant_id = r.tenant_id and a.run = r.id and a.path = $3
     where r.tenant_id = $1 and r.training_id = $2 and r.lifecycle = 'active' order by r.training_attempt desc limit 1`,
    [tx.tenantId, experimentId, CHECKPOINT_PATH],
  );
  return row ? { runId: row.run_id, attempt: row.attempt } : null;
}

/** The stored checkpoint of a run; null when there is none (any more). */
export async function findCheckpoint(tx: TenantTransaction, runId: string): Promise<Pick<RunArtifact, 'objectKey' | 'sha256'> | null> {
  const [row] = await tx.query<{ object_key: string; sha256: string }>(
    `select a.object_key, a.sha256 from tracker_run r join run_artifact a on a.tenant_id = r.tenant_id and a.run = r.id and a.path = $3
     where r.tenant_id = $1 and r.run_id = $2`,
    [tx.tenantId, runId, CHECKPOINT_PATH],
  );
  return row ? { objectKey: row.object_key, sha256: row.sha256 } : null;
}
