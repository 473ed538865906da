import type { TenantTransaction } from '../orm/transaction.js';

/** How a dataset stands to its source; the link's fields are null together. */
export interface LinkRow {
  readonly dataset_id: string;
  readonly dataset_key: string;
  readonly source_key: string | null;
  readonly source_name: string | null;
  readonly source_enabled: boolean | null;
  readonly remote_dataset_id: string | null;
  readonly interval_s: number | null;
  readonly linked_at: Date | null;
  readonly linked_by: string | null;
  readonly active_sync_id: string | null;
}

/** Null when there is no such dataset. @param datasetKey the id people use */
export async function findLink(tx: TenantTransaction, datasetKey: string): Promise<LinkRow | null> {
  const rows = await tx.query<LinkRow & Record<string, unknown>>(
    `select d.id as dataset_id, d.key as dataset_key, s.key as source_key, s.name as source_name, s.enabled as source_enabled, l.remote_dataset_id, l.interval_s, l.linked_at, l.linked_by,
       d.active_sync_id
     from dataset d left join dataset_source l on l.tenant_id = d.tenant_id and l.dataset_id = d.id left join external_source s on s.tenant_id = l.tenant_id and s.id = l.source_id
     where d.tenant_id = $1 and d.key = $2`,
    [tx.tenantId, datasetKey],
  );
  return rows[0] ?? null;
}
