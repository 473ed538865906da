import { withoutSorts } from '../../orm/planner-settings.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { FileOrigin } from '../catalog/dataset.types.js';
import type { NewFile } from './new-file.types.js';
import { labelOf } from './file-path.rules.js';

/** What stands in the way of new paths; id, sha256 and objectKey of a file of the same path. */
export interface InTheWay {
  readonly why: 'same' | 'above' | 'below';
  readonly path: string;
  readonly id: string | null;
  readonly sha256: string | null;
  readonly objectKey: string | null;
}

// One step in the index over paths for each path, forced by the order: asked for what is equal, or by "any" or "exists",
// the planner may compare every path with every file of a table that is too young for statistics. In C order whatever
// lies in the folder `p` follows `p/` at once.
const OBSTACLES = `select 'same' as why, f.path, f.id, f.sha256, f.object_key
     from unnest($3::text[]) as n (path) cross join lateral (
       select f.path, f.id, f.sha256, f.object_key from dataset_file f
       where f.tenant_id = $1 and f.dataset_id = $2 and f.path >= n.path collate "C" order by f.path limit 1) f
     where f.path = n.path
   union all select 'above', n.path, null, null, null
     from unnest($4::text[]) as n (path) cross join lateral (
       select f.path from dataset_file f
       where f.tenant_id = $1 and f.dataset_id = $2 and f.path >= n.path collate "C" order by f.path limit 1) f
     where f.path = n.path
   union all select 'below', n.path, null, null, null
     from unnest($3::text[]) as n (path) cross join lateral (
       select f.path from dataset_file f
       where f.tenant_id = $1 and f.dataset_id = $2 and f.path > (n.path || '/') collate "C"
       order by f.path limit 1) next
     where starts_with(next.path, n.path || '/')`;

/** @param folders of the paths, which must be no files */
export async function findInTheWay(
  tx: TenantTransaction,
  datasetId: string,
  paths: readonly string[],
  folders: readonly string[],
): Promise<InTheWay[]> {
  return withoutSorts(tx, () => tx.rows<InTheWay>(OBSTACLES, [tx.tenantId, datasetId, paths, folders]));
}

export interface FilesOf {
  readonly datasetId: string;
  readonly addedRevision: number;
  readonly origin: FileOrigin;
  /** Who added them; null: nobody in person. */
  readonly id: string | null;
}

export const insertFileRows = (
  tx: TenantTransaction,
  { datasetId, addedRevision, origin, id }: FilesOf,
  files: readonly NewFile[],
): Promise<{ id: string; path: string }[]> =>
  tx.rows<{ id: string; path: string }>(
    `-- bulk: all files of an archive, a form or a batch
     insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind,
       label, origin, added_revision, created_by)
     select $1, $2, f.path, f.sha256, f.size_bytes, f.object_key, f.media_type, f.kind, f.label, $3, $4, $5
     from unnest($6::text[], $7::text[], $8::bigint[], $9::text[], $10::text[], $11::text[], $12::text[])
       as f (path, sha256, size_bytes, object_key, media_type, kind, label)
     returning id, path`,
    [
      tx.tenantId,
      datasetId,
      origin,
      addedRevision,
      id,
      files.map((file) => file.path),
      files.map((file) => file.sha256),
      files.map((file) => file.sizeBytes),
      files.map((file) => file.objectKey),
      files.map((file) => file.mediaType),
      files.map((file) => file.kind),
      files.map((file) => (file.kind === 'image' ? labelOf(file.path) : null)),
    ],
  );
