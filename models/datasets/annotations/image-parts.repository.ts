import type { TenantTransaction } from '../../orm/transaction.js';
import type { AnnotationFormat, PartFolder, Split } from './annotation.types.js';
import type { ImageParts, ListedTwice } from './annotation-report.types.js';
import type { ClassFolders } from './class-folders.rules.js';
import { endingsOf, isImageList, type MissingParts, nearestList, type PartList, type RepeatedPart } from './yolo-parts.rules.js';

const EXAMPLES = 10;
/** Lists of one name that lie in a dataset. */
const MAX_LISTS = 1000;
const WORDS = 'train|training|val|valid|validation|test|testing';

/** SQL of the part that the folders of a path name, as `splitOf` finds it. @param path SQL */
export const splitOfFolders = (path: string): string =>
  `(case left(substring(lower(${path}) from '(?:^|/)(${WORDS})(?:[-_]?[0-9]{4})?/'), 2) when 'tr' then 'train' when 'va' then 'val' when 'te' then 'test' end)`;

export interface FoundParts extends MissingParts {
  readonly folders: readonly PartFolder[];
  readonly lists: readonly PartList[];
  readonly repeated: readonly RepeatedPart[];
}

export const NO_PARTS: FoundParts = { path: null, folders: [], lists: [], missing: [], repeated: [] };

/** Parts that the YOLO configuration nearest to the top names; empty where none does. */
export async function findPartFolders(tx: TenantTransaction, datasetId: string): Promise<FoundParts> {
  const [row] = await tx.query<{ part_folders: PartFolder[]; path: string }>(
    `select a.part_folders, f.path from dataset_annotation_file a join dataset_file f on f.tenant_id = a.tenant_id and f.id = a.file_id
     where a.tenant_id = $1 and a.dataset_id = $2 and a.kind = 'yolo_config' and jsonb_array_length(a.part_folders) > 0 order by length(f.path), f.path limit 1`,
    [tx.tenantId, datasetId],
  );
  const named = row?.part_folders ?? [];
  const places = named.map((one) => (one.isAbsolute ? endingsOf(one, named) : [one.folder]));
  const placesOf = (areLists: boolean) => [...new Set(places.filter((_, at) => isImageList(named[at] as PartFolder) === areLists).flat())];
  const there = await foldersThere(tx, datasetId, placesOf(false));
  const listed = await listsThere(tx, datasetId, placesOf(true));
  const folders: PartFolder[] = [];
  const lists: PartList[] = [];
  const repeated: RepeatedPart[] = [];
  const earliest = new Map<string, Split>();
  const foundNames = new Set<string>();
  for (const [at, one] of named.entries()) {
    const folder = places[at]?.find((place) => there.has(place));
    const fileId = nearestList(listed, places[at] ?? [], row?.path ?? '');
    if (folder !== undefined) folders.push({ split: one.split, folder });
    if (fileId !== null && !lists.some((list) => list.fileId === fileId)) lists.push({ split: one.split, fileId });
    const place = folder ?? fileId;
    const earlier = earliest.get(place ?? '') ?? one.split;
    if (place) earliest.set(place, earlier);
    if (earlier !== one.split) repeated.push({ split: one.split, earlier, name: one.name ?? one.folder });
    if (folder !== undefined || fileId !== null) foundNames.add(saidOf(one));
  }
  // Of the places that one name may mean, one is enough.
  const missing = named.filter((one) => (one.isAbsolute || one.name !== undefined) && !foundNames.has(saidOf(one)));
  return { path: row?.path ?? null, folders, lists, missing, repeated };
}

const saidOf = ({ split, name, folder }: PartFolder): string => `${split} ${name ?? folder}`;

interface ListFile extends Record<string, unknown> {
  readonly file_id: string;
  readonly path: string;
}

/** Lists of images whose paths end as one of these names. */
async function listsThere(tx: TenantTransaction, datasetId: string, names: readonly string[]): Promise<readonly ListFile[]> {
  if (names.length === 0) return [];
  return tx.query<ListFile>(
    `select a.file_id, f.path from dataset_annotation_file a join dataset_file f on f.tenant_id = a.tenant_id and f.id = a.file_id
     where a.tenant_id = $1 and a.dataset_id = $2 and a.kind = 'yolo_list' and exists (select from unnest($3::text[]) as n (name) where right('/' || f.path, length(n.name) + 1) = '/' || n.name)
     order by length(f.path), f.path limit ${MAX_LISTS}`,
    [tx.tenantId, datasetId, names],
  );
}

/** Those of these folders that have images below them, wherever they lie. */
async function foldersThere(tx: TenantTransaction, datasetId: string, folders: readonly string[]): Promise<ReadonlySet<string>> {
  if (folders.length === 0) return new Set();
  const rows = await tx.query<{ folder: string }>(
    `with place as materialized (select distinct '/' || regexp_replace(path, '[^/]*$', '') as path from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image')
     select n.folder from unnest($3::text[]) as n (folder) where exists (select from place where position('/' || n.folder || '/' in place.path) > 0)`,
    [tx.tenantId, datasetId, folders],
  );
  return new Set(rows.map(({ folder }) => folder));
}

/**
 * Gives images their class and part, from their paths and what annotation files say of them; never from what an earlier
 * validation found, so that the order of uploads does not matter. The class is a folder, or none where files annotate images. The part is what folders name, otherwise the configuration's, otherwise that of
 * the annotation files, where training comes before validation and test. Call it after the matching.
 */
export async function settleImages(
  tx: TenantTransaction,
  datasetId: string,
  { format, classFolders, partFolders }: { readonly format: AnnotationFormat | null; readonly classFolders: ClassFolders | null; readonly partFolders: readonly PartFolder[] },
): Promise<void> {
  const label = classFolders === null ? 'null::text' : labelOfFolders(classFolders);
  const isByFiles = format === 'coco' || format === 'voc' || format === 'yolo';
  // Lists name images one by one: nothing says more.
  // With classes as tops of the tree a folder named train is a class, not a part.
  const split = classFolders !== null && !classFolders.hasParts ? 'null::text' : `coalesce(said.listed, ${splitOfFolders('path')}, ${OF_CONFIGURATION}, said.split)`;
  await tx.execute(
    `with named as (select split, folder from jsonb_to_recordset($3::jsonb) as n (split text, folder text)),
     said as (
       select image_id, ${firstPart("match = 'matched'")} as split, ${firstPart("match = 'listed'")} as listed
       from dataset_annotation where $4 and tenant_id = $1 and dataset_id = $2 and match in ('matched', 'listed') and split is not null group by image_id),
     settled as (
       select f.id, ${label} as label, ${split} as split from dataset_file f left join said on said.image_id = f.id where tenant_id = $1 and dataset_id = $2 and kind = 'image')
     update dataset_file f set label = s.label, split = s.split from settled s
     where f.tenant_id = $1 and f.id = s.id and (f.label is distinct from s.label or f.split is distinct from s.split)`,
    [tx.tenantId, datasetId, JSON.stringify(partFolders), isByFiles],
  );
}

/** SQL of the part that rows for which `condition` holds name first: training, then validation. */
const firstPart = (condition: string): string => `(array['train', 'val', 'test'])[min(array_position(array['train', 'val', 'test'], split)) filter (where ${condition})]`;

/** SQL of an image's class folder; null outside of one. */
function labelOfFolders({ root, hasParts, below }: ClassFolders): string {
  const lengthOf = (path: string): number => [...path].length;
  const rest = `substr(path, ${lengthOf(root) + 1})`;
  const inside = hasParts ? `substr(${rest}, position('/' in ${rest}) + ${lengthOf(below) + 1})` : rest;
  return `case when position('/' in ${inside}) > 0 then split_part(${inside}, '/', 1) end`;
}

/** Of folders inside each other the innermost counts. */
const OF_CONFIGURATION = `(select n.split from named n where position('/' || n.folder || '/' in '/' || f.path) > 0
  order by length(n.folder) desc, array_position(array['train', 'val', 'test'], n.split) limit 1)`;

/** Images that annotation files, or lists of images, of training and of validation or test both list. */
export async function listedTwice(tx: TenantTransaction, datasetId: string, format: 'coco' | 'yolo'): Promise<ListedTwice> {
  const [row] = await tx.query<ListedTwice & Record<string, unknown>>(
    `with twice as materialized (
       select a.image_id, min(f.path) filter (where a.split = 'train') as of_train, min(f.path) filter (where a.split <> 'train') as of_held
       from dataset_annotation a join dataset_file f on f.tenant_id = a.tenant_id and f.id = a.file_id
       where a.tenant_id = $1 and a.dataset_id = $2 and a.match = $3 and a.split is not null
       group by a.image_id having bool_or(a.split = 'train') and bool_or(a.split <> 'train'))
     select (select count(*) from twice) as images,
       coalesce((select jsonb_agg(jsonb_build_array(path, of_train, of_held) order by path)
         from (select i.path, of_train, of_held from twice join dataset_file i on i.tenant_id = $1 and i.id = twice.image_id order by i.path limit ${EXAMPLES}) e), '[]') as examples`,
    [tx.tenantId, datasetId, format === 'coco' ? 'matched' : 'listed'],
  );
  return row as ListedTwice;
}

const MAX_SPLIT_CLASSES = 1000;

export async function imageParts(tx: TenantTransaction, datasetId: string): Promise<ImageParts> {
  const images = "from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image'";
  const bySplit = await tx.query<{ split: Split | null; images: number }>(`select split, count(*) as images ${images} group by split order by images desc, split`, [
    tx.tenantId,
    datasetId,
  ]);
  const byClass = await tx.query<{ split: Split | null; label: string; images: number }>(
    `select split, label, count(*) as images ${images} and label is not null group by split, label order by images desc, label, split limit ${MAX_SPLIT_CLASSES}`,
    [tx.tenantId, datasetId],
  );
  const [sizes] = await tx.query<Record<string, number | null>>(
    `select round(avg(width))::int as mean_width, round(avg(height))::int as mean_height, percentile_disc(0.5) within group (order by width) as median_width,
       percentile_disc(0.5) within group (order by height) as median_height, count(distinct (width, height)) as distinct_sizes
     from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image' and width is not null`,
    [tx.tenantId, datasetId],
  );
  return { bySplit, byClass, sizes: sizes ?? {} };
}
