import type { PlatformTransaction } from '../orm/transaction.js';

/** An active row, with what its durable work is named after. */
export interface ActiveWork {
  readonly tenantId: string;
  readonly id: string;
  readonly attempt: number;
}

/** Rows that only a workflow moves on, by kind of work. */
export type WorkKind = 'training' | 'dataset-validation' | 'dataset-upload' | 'dataset-sync' | 'model-image';

const ACTIVE: Readonly<Record<WorkKind, string>> = {
  training: "select tenant_id, id, attempt from training_experiment where status not in ('SUCCEEDED', 'FAILED', 'CANCELED')",
  'dataset-validation': 'select tenant_id, id, validation_attempt as attempt from dataset where validation_active',
  'dataset-upload': "select tenant_id, id, 1 as attempt from dataset_upload where state = 'assembling'",
  'dataset-sync': "select tenant_id, id, 1 as attempt from dataset_sync where status in ('queued', 'running')",
  'model-image': "select tenant_id, id, attempt from image where status = 'BUILDING'",
};

/** Active rows that nobody changed for `quietS` seconds, in the order of their ids, from after `afterId` on. Platform-wide. */
export async function listQuietWork(tx: PlatformTransaction, kind: WorkKind, quietS: number, afterId: string | null, limit: number): Promise<ActiveWork[]> {
  const rows = await tx.query<{ tenant_id: string; id: string; attempt: number }>(
    `${ACTIVE[kind]} and tenant_id not in (select erased_tenant from tenant_deletion) and updated_at < now() - make_interval(secs => $1) and ($2::uuid is null or id > $2::uuid) order by id limit $3`,
    [quietS, afterId, limit],
  );
  return rows.map((row) => ({ tenantId: row.tenant_id, id: row.id, attempt: row.attempt }));
}

/** Those of the workflow ids that still have something to be dispatched, such as their start; what was given up does not come by itself. Platform-wide. */
export async function awaitingDispatch(tx: PlatformTransaction, workflowIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ workflow_id: string }>('select workflow_id from dispatch where workflow_id = any($1) group by workflow_id having bool_and(given_up_at is null)', [
    workflowIds,
  ]);
  return new Set(rows.map((row) => row.workflow_id));
}
