import type { TenantTransaction } from '../../../orm/transaction.js';
import type { AnnotationFormat, PartFolder } from '../../../../formats/annotations/annotation.types.js';
import type { ListedTwice } from '../report/annotation-report.types.js';
import type { ClassFolders } from './class-folders.rules.js';

const EXAMPLES = 10;
/** Lists of one name that lie in a dataset. */
const MAX_LISTS = 1000;
const WORDS = 'train|training|val|valid|validation|test|testing';

/** SQL of the part that the folders of a path name, as `splitOf` finds it. @param path SQL */
export const splitOfFolders = (path: string): string =>
  `(case left(substring(lower(${path}) from '(?:^|/)(${WORDS})(?:[-_]?[0-9]{4})?/'), 2)
    when 'tr' then 'train' when 'va' then 'val' when 'te' then 'test' end)`;

interface ListFile {
  readonly fileId: string;
  readonly path: string;
}

/** Lists of images whose paths end as one of these names. */
export async function listsThere(
  tx: TenantTransaction,
  datasetId: string,
  names: readonly string[],
): Promise<readonly ListFile[]> {
  if (names.length === 0) return [];
  return tx.rows<ListFile>(
    `select a.file_id, f.path
     from dataset_annotation_file a join dataset_file f on f.tenant_id = a.tenant_id and f.id = a.file_id
     where a.tenant_id = $1 and a.dataset_id = $2 and a.kind = 'yolo_list' and exists (
       select from unnest($3::text[]) as n (name) where right('/' || f.path, length(n.name) + 1) = '/' || n.name)
     order by length(f.path), f.path limit ${MAX_LISTS}`,
    [tx.tenantId, datasetId, names],
  );
}

/** Those of these folders that have images below them, wherever they lie. */
export async function foldersThere(
  tx: TenantTransaction,
  datasetId: string,
  folders: readonly string[],
): Promise<ReadonlySet<string>> {
  if (folders.length === 0) return new Set();
  const rows = await tx.rows<{ folder: string }>(
    `with place as materialized (
       select distinct '/' || regexp_replace(path, '[^/]*$', '') as path
       from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image')
     select n.folder from unnest($3::text[]) as n (folder)
     where exists (select from place where position('/' || n.folder || '/' in place.path) > 0)`,
    [tx.tenantId, datasetId, folders],
  );
  return new Set(rows.map(({ folder }) => folder));
}

/**
 * Gives images their class and part, from their paths and what annotation files say of them; never from what an earlier
 * validation found, so that the order of uploads does not matter. The class is a folder, or none where files annotate
 * images. The part is what folders name, otherwise the configuration's, otherwise that of the annotation files, where
 * training comes before validation and test. Call it after the matching.
 */
export async function settleImages(
  tx: TenantTransaction,
  datasetId: string,
  {
    format,
    classFolders,
    partFolders,
  }: {
    readonly format: AnnotationFormat | null;
    readonly classFolders: ClassFolders | null;
    readonly partFolders: readonly PartFolder[];
  },
): Promise<void> {
  const label = classFolders === null ? 'null::text' : labelOfFolders(classFolders);
  const isByFiles = format === 'coco' || format === 'voc' || format === 'yolo';
  // Lists name images one by one: nothing says more.
  // With classes as tops of the tree a folder named train is a class, not a part.
  const split =
    classFolders !== null && !classFolders.hasParts
      ? 'null::text'
      : `coalesce(said.listed, ${splitOfFolders('path')}, ${OF_CONFIGURATION}, said.split)`;
  await tx.execute(
    `-- bulk: all images of a dataset
     with named as (select split, folder from jsonb_to_recordset($3::jsonb) as n (split text, folder text)),
     said as (
       select image_id, ${firstPart("match = 'matched'")} as split, ${firstPart("match = 'listed'")} as listed
       from dataset_annotation where $4 and tenant_id = $1 and dataset_id = $2 and match in ('matched', 'listed')
         and split is not null group by image_id),
     settled as (
       select f.id, ${label} as label, ${split} as split
       from dataset_file f left join said on said.image_id = f.id
       where tenant_id = $1 and dataset_id = $2 and kind = 'image')
     update dataset_file f set label = s.label, split = s.split from settled s
     where f.tenant_id = $1 and f.id = s.id and (f.label is distinct from s.label or f.split is distinct from s.split)`,
    [tx.tenantId, datasetId, JSON.stringify(partFolders), isByFiles],
  );
}

/** SQL of the part that rows for which `condition` holds name first: training, then validation. */
const firstPart = (condition: string): string =>
  `(array['train', 'val', 'test'])[min(array_position(array['train', 'val', 'test'], split)) filter (where ${condition})]`;

/** SQL of an image's class folder; null outside of one. */
function labelOfFolders({ root, hasParts, below }: ClassFolders): string {
  const lengthOf = (path: string): number => [...path].length;
  const rest = `substr(path, ${lengthOf(root) + 1})`;
  const inside = hasParts ? `substr(${rest}, position('/' in ${rest}) + ${lengthOf(below) + 1})` : rest;
  return `case when position('/' in ${inside}) > 0 then split_part(${inside}, '/', 1) end`;
}

/** The innermost folder counts. */
const OF_CONFIGURATION = `(select n.split from named n where position('/' || n.folder || '/' in '/' || f.path) > 0
  order by length(n.folder) desc, array_position(array['train', 'val', 'test'], n.split) limit 1)`;

/** Images that annotation files, or lists of images, of training and of validation or test both list. */
export async function listedTwice(
  tx: TenantTransaction,
  datasetId: string,
  format: 'coco' | 'yolo',
): Promise<ListedTwice> {
  const [row] = await tx.rows<ListedTwice>(
    `with twice as materialized (
       select a.image_id, min(f.path) filter (where a.split = 'train') as of_train,
         min(f.path) filter (where a.split <> 'train') as of_held
       from dataset_annotation a join dataset_file f on f.tenant_id = a.tenant_id and f.id = a.file_id
       where a.tenant_id = $1 and a.dataset_id = $2 and a.match = $3 and a.split is not null
       group by a.image_id having bool_or(a.split = 'train') and bool_or(a.split <> 'train'))
     select (select count(*) from twice) as images,
       coalesce((select jsonb_agg(jsonb_build_array(path, of_train, of_held) order by path)
         from (select i.path, of_train, of_held
           from twice join dataset_file i on i.tenant_id = $1 and i.id = twice.image_id
           order by i.path limit ${EXAMPLES}) e), '[]') as examples`,
    [tx.tenantId, datasetId, format === 'coco' ? 'matched' : 'listed'],
  );
  return row as ListedTwice;
}
