import type { TenantTransaction } from '../../orm/transaction.js';
import { MAX_FILE_BYTES, type PlannedFile } from './dataset-sync.rules.js';

/** What a sync would do with files of a manifest; the words of SyncPlan. */
export type PreviewAction = 'add' | 'change' | 'unchanged' | 'keep';

export interface PreviewedFile {
  readonly file: PlannedFile;
  /** Its place in the manifest, from 0. */
  readonly entry: number;
  /** By the manifest alone it would be a file and a folder at once. */
  readonly isClash: boolean;
}

export interface SliceAction {
  /**
   * `left`: a sync leaves what is here; `outgrown`: so it does, as what is there is too large; `clash`: so it
   * does, because of a file that was uploaded here.
   */
  readonly action: PreviewAction | 'left' | 'outgrown' | 'clash';
  readonly files: number;
  readonly bytes: number;
  /** The first places in the slice. */
  readonly places: number[];
  /** Those of them that an earlier sync brought here, with their bytes here. */
  readonly syncedFiles: number;
  readonly syncedBytes: number;
}

/**
 * Compares a slice of a manifest with the files of a dataset by path and sha256, in one statement: as
 * compareEntries does for a sync.
 * @param datasetId row id
 * @param isBelowUpload whether a file of the slice lies in a folder that is an uploaded file
 * @param listed places of each action
 */
export async function compareSlice(
  tx: TenantTransaction,
  datasetId: string,
  slice: readonly PreviewedFile[],
  isBelowUpload: (path: string) => boolean,
  listed: number,
): Promise<SliceAction[]> {
  return tx.rows<SliceAction>(
    `with slice as materialized (
       select * from unnest($3::text[], $4::text[], $5::bigint[], $6::boolean[], $9::boolean[])
         with ordinality as f (path, sha256, size_bytes, is_clash, is_below, place)),
     compared as (
       select f.size_bytes, f.place, d.size_bytes as here, d.origin, case
         when f.is_clash then 'left'
         when f.is_below then 'clash'
         when below.path < f.path || '0' and exists (
           select 1 from dataset_file u where u.tenant_id = $1 and u.dataset_id = $2 and u.origin = 'upload'
             and u.path > f.path || '/' and u.path < f.path || '0') then 'clash'
         when d.sha256 = f.sha256 then 'unchanged'
         when d.origin = 'upload' then 'keep'
         when f.size_bytes > $8 then case when d.id is null then 'left' else 'outgrown' end
         when d.id is null then 'add' else 'change' end as action
       from slice f left join dataset_file d on d.tenant_id = $1 and d.dataset_id = $2 and d.path = f.path
       -- The next path after "path/": one step in the index says for nearly all lines that nothing lies
       -- below them.
       left join lateral (
         select u.path from dataset_file u
         where u.tenant_id = $1 and u.dataset_id = $2 and u.path > f.path || '/'
         order by u.path limit 1) below on true)
     select action, count(*) as files, sum(size_bytes) as bytes,
       (array_agg(place - 1 order by place))[1:$7] as places,
       count(*) filter (where origin = 'sync') as synced_files,
       coalesce(sum(here) filter (where origin = 'sync'), 0)::bigint as synced_bytes
     from compared group by action`,
    [
      tx.tenantId,
      datasetId,
      slice.map(({ file }) => file.localPath),
      slice.map(({ file }) => file.sha256),
      slice.map(({ file }) => file.sizeBytes),
      slice.map(({ isClash }) => isClash),
      listed,
      MAX_FILE_BYTES,
      slice.map(({ file }) => isBelowUpload(file.localPath)),
    ],
  );
}
