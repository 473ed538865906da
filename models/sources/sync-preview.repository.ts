import type { TenantTransaction } from '../orm/transaction.js';
import type { PlannedFile } from './dataset-sync.rules.js';

/** What a sync would do with files of a manifest; the words of SyncPlan. */
export type PreviewAction = 'add' | 'change' | 'unchanged' | 'keep';

export interface SliceAction {
  readonly action: PreviewAction;
  readonly files: number;
  readonly bytes: number;
  /** The first paths. */
  readonly examples: string[];
  /** Of these, files here that an earlier sync brought, with their bytes here. */
  readonly synced_files: number;
  readonly synced_bytes: number;
}

/** Compares a slice of a manifest with the files of a dataset by path and sha256, in one statement. @param datasetId row id */
export async function compareSlice(tx: TenantTransaction, datasetId: string, files: readonly PlannedFile[], examples: number): Promise<SliceAction[]> {
  return tx.query<SliceAction & Record<string, unknown>>(
    `with compared as (
       select f.path, f.size_bytes, f.place, d.size_bytes as here, d.origin,
         case when d.id is null then 'add' when d.sha256 = f.sha256 then 'unchanged' when d.origin = 'upload' then 'keep' else 'change' end as action
       from unnest($3::text[], $4::text[], $5::bigint[]) with ordinality as f (path, sha256, size_bytes, place)
       left join dataset_file d on d.tenant_id = $1 and d.dataset_id = $2 and d.path = f.path)
     select action, count(*) as files, sum(size_bytes)::bigint as bytes, (array_agg(path order by place))[1:$6] as examples,
       count(*) filter (where origin = 'sync') as synced_files, coalesce(sum(here) filter (where origin = 'sync'), 0)::bigint as synced_bytes
     from compared group by action`,
    [tx.tenantId, datasetId, files.map((file) => file.localPath), files.map((file) => file.sha256), files.map((file) => file.sizeBytes), examples],
  );
}

/** Files that earlier syncs brought: what a sync may remove. @param datasetId row id */
export async function countSynced(tx: TenantTransaction, datasetId: string): Promise<{ files: number; bytes: number }> {
  const [row] = await tx.query<{ files: number; bytes: number }>(
    "select count(*) as files, coalesce(sum(size_bytes), 0)::bigint as bytes from dataset_file where tenant_id = $1 and dataset_id = $2 and origin = 'sync'",
    [tx.tenantId, datasetId],
  );
  return row ?? { files: 0, bytes: 0 };
}

/** The next paths that earlier syncs brought, in order. @param after the last path of the page before; empty at first */
export async function nextSyncedPaths(tx: TenantTransaction, datasetId: string, after: string, limit: number): Promise<string[]> {
  const rows = await tx.query<{ path: string }>("select path from dataset_file where tenant_id = $1 and dataset_id = $2 and origin = 'sync' and path > $3 order by path limit $4", [
    tx.tenantId,
    datasetId,
    after,
    limit,
  ]);
  return rows.map((row) => row.path);
}
