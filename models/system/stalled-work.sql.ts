import type { Transaction } from '../orm/transaction.js';

/** An active row, with what its durable work is named after. */
export interface ActiveWork {
  readonly tenantId: string;
  readonly id: string;
  readonly attempt: number;
}

/** Rows that only a workflow moves on, by kind of work. */
export type WorkKind =
  | 'training'
  | 'training-export'
  | 'dataset-validation'
  | 'dataset-upload'
  | 'dataset-sync'
  | 'model-image'
  | 'promotion'
  | 'deployment'
  | 'tenant-deletion';

/** Which rows of a table a workflow moves on, and the column that counts its attempts. */
export interface ActiveRows {
  /** Its name, or a query that names the tenant as other tables do. */
  readonly table: string;
  readonly attempt: string;
  readonly where: string;
}

export const ACTIVE_ROWS: Readonly<Record<WorkKind, ActiveRows>> = {
  training: {
    table: 'training_experiment',
    attempt: 'attempt',
    where: "status not in ('SUCCEEDED', 'FAILED', 'CANCELED')",
  },
  'training-export': {
    table: 'training_export',
    attempt: 'attempt',
    where: "status in ('QUEUED', 'RUNNING')",
  },
  'dataset-validation': { table: 'dataset', attempt: 'validation_attempt', where: 'validation_active' },
  'dataset-upload': { table: 'dataset_upload', attempt: '1', where: "state = 'assembling'" },
  'dataset-sync': { table: 'dataset_sync', attempt: '1', where: "status in ('queued', 'running')" },
  'model-image': { table: 'image', attempt: 'attempt', where: "status = 'BUILDING'" },
  promotion: {
    table: 'promotion',
    attempt: 'attempt',
    where: "(status in ('PENDING_CHECKS', 'WAITING_APPROVAL', 'APPROVED') or is_watched)",
  },
  deployment: {
    table: 'deployment',
    attempt: 'attempt',
    // One that has ended is followed for as long as devices are at it.
    where: `(status in ('PENDING', 'IN_PROGRESS', 'PAUSED', 'ROLLING_BACK') or is_watched or wish is not null
      or (tenant_id, id) in (select d.tenant_id, d.deployment_id from deployment_device d
        where d.finished_at is null and d.device_id is not null))`,
  },
  'tenant-deletion': {
    table: '(select *, erased_tenant as tenant_id from tenant_deletion)',
    attempt: 'attempt',
    where: "status in ('pending', 'running')",
  },
};

/**
 * Active rows that nobody changed for `quietS` seconds, in the order of their ids, from after `afterId` on. What belongs to a
 * tenant that is being erased ends with it, except its deletion itself.
 */
export function listQuietRows(
  tx: Transaction,
  kind: WorkKind,
  quietS: number,
  afterId: string | null,
  limit: number,
): Promise<ActiveWork[]> {
  const { table, attempt, where } = ACTIVE_ROWS[kind];
  return tx.rows<ActiveWork>(
    `select tenant_id, id, ${attempt} as attempt from ${table} as work
     where ${where}
       and not exists (
         select 1 from tenant_deletion d where d.erased_tenant = work.tenant_id and d.id <> work.id)
       and updated_at < now() - make_interval(secs => $1) and ($2::uuid is null or id > $2::uuid)
     order by id limit $3`,
    [quietS, afterId, limit],
  );
}
