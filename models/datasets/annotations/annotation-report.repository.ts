import type { TenantTransaction } from '../../orm/transaction.js';
import type { AnnotationClass, AnnotationFileKind, AnnotationFormat, Split } from './annotation.types.js';
import type { ExactDuplicates, ImageParts, MatchCount } from './annotation-report.types.js';
import type { FormatEvidence } from './annotation-format.rules.js';
import { type HashGroup, HashGroups } from './near-duplicates.rules.js';
import type { MatchedEntry } from './object-statistics.rules.js';

const EXAMPLES = 10;
const SPLIT_FOLDERS = "lower(split_part(path, '/', 1)) in ('train', 'training', 'val', 'valid', 'validation', 'test', 'testing')";

/** What decides the format of a dataset. */
export async function formatEvidence(tx: TenantTransaction, datasetId: string): Promise<FormatEvidence> {
  const kinds = await tx.query<{ kind: AnnotationFileKind; files: number; filled: number }>(
    'select kind, count(*) as files, count(*) filter (where object_count > 0) as filled from dataset_annotation_file where tenant_id = $1 and dataset_id = $2 group by kind',
    [tx.tenantId, datasetId],
  );
  const [images] = await tx.query<{ images: number; in_folders: number; in_split_folders: number }>(
    `select count(*) as images, count(*) filter (where path like '%/%') as in_folders, count(*) filter (where path like '%/%/%' and ${SPLIT_FOLDERS}) as in_split_folders
     from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image'`,
    [tx.tenantId, datasetId],
  );
  return {
    files: Object.fromEntries(kinds.map(({ kind, files }) => [kind, files])),
    labelsWithObjects: kinds.find(({ kind }) => kind === 'yolo')?.filled ?? 0,
    images: images?.images ?? 0,
    inFolders: images?.in_folders ?? 0,
    inSplitFolders: images?.in_split_folders ?? 0,
  };
}

/** The first files of each of these kinds, by path. */
export async function annotationFileExamples(tx: TenantTransaction, datasetId: string, kinds: readonly string[]): Promise<{ kind: string; path: string }[]> {
  return tx.query<{ kind: string; path: string }>(
    `select distinct on (a.kind) a.kind, f.path from dataset_annotation_file a join dataset_file f on f.tenant_id = a.tenant_id and f.id = a.file_id
     where a.tenant_id = $1 and a.dataset_id = $2 and a.kind = any($3) order by a.kind, f.path`,
    [tx.tenantId, datasetId, kinds],
  );
}

/** Gives images the class that the layout says: a folder, the one below a part's folder, or none where files annotate them. */
export async function settleLabels(tx: TenantTransaction, datasetId: string, format: AnnotationFormat | null, hasSplitFolders: boolean): Promise<void> {
  const folder = hasSplitFolders ? 2 : 1;
  const label = format === 'class_folders' ? `case when path like '${'%/'.repeat(folder)}%' then split_part(path, '/', ${folder}) end` : 'null::text';
  // With classes as tops of the tree a folder named train is a class, not a part.
  const split = format === 'class_folders' && !hasSplitFolders ? 'null::text' : 'split';
  await tx.execute(
    `update dataset_file set label = ${label}, split = ${split}
     where tenant_id = $1 and dataset_id = $2 and kind = 'image' and (label is distinct from ${label} or split is distinct from ${split})`,
    [tx.tenantId, datasetId],
  );
}

export interface YoloNames {
  readonly classes: readonly AnnotationClass[];
  readonly keypointShape: readonly [number, number] | null;
  readonly path: string;
}

/** What names the classes of YOLO labels: the configuration nearest to the top, otherwise a list of names. */
export async function findYoloNames(tx: TenantTransaction, datasetId: string): Promise<YoloNames | null> {
  const [row] = await tx.query<{ classes: AnnotationClass[]; keypoint_shape: [number, number] | null; path: string }>(
    `select a.classes, a.keypoint_shape, f.path from dataset_annotation_file a join dataset_file f on f.tenant_id = a.tenant_id and f.id = a.file_id
     where a.tenant_id = $1 and a.dataset_id = $2 and a.kind in ('yolo_config', 'yolo_names') and jsonb_array_length(a.classes) > 0
     order by a.kind, length(f.path), f.path limit 1`,
    [tx.tenantId, datasetId],
  );
  return row ? { classes: row.classes, keypointShape: row.keypoint_shape, path: row.path } : null;
}

export interface EntryPlace {
  readonly fileId: string;
  readonly seq: number;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Bytes of objects after which a page ends. */
const PAGE_BYTES = 8 * 1024 * 1024;

/** The next entries in order of their files; none when all were read. @param after the last one of the page before, or null */
export async function entryPage(tx: TenantTransaction, datasetId: string, after: EntryPlace | null, limit: number): Promise<Array<{ place: EntryPlace; entry: MatchedEntry }>> {
  // A few rows by their keys, whatever the planner thinks of tables that were filled a moment ago.
  for (const way of ['hashjoin', 'mergejoin', 'seqscan']) await tx.execute(`set local enable_${way} = off`);
  const rows = await tx.query<MatchedEntry & { file_id: string; seq: number }>(
    `with next as (
       select file_id, seq, sum(octet_length(objects)) over (order by file_id, seq) - octet_length(objects) as before
       from (select file_id, seq, objects from dataset_annotation where tenant_id = $1 and dataset_id = $2 and (file_id, seq) > ($3::uuid, $4) order by file_id, seq limit $5) a),
     page as materialized (
       select a.* from next n join dataset_annotation a on a.tenant_id = $1 and a.dataset_id = $2 and a.file_id = n.file_id and a.seq = n.seq where n.before < ${PAGE_BYTES})
     select a.file_id, a.seq, k.kind, f.path, i.path as "imagePath", coalesce(i.split, a.split) as split, coalesce(i.width, a.width) as width, coalesce(i.height, a.height) as height,
       a.width as "claimedWidth", a.height as "claimedHeight", a.objects
     from page a
     join dataset_annotation_file k on k.tenant_id = $1 and k.dataset_id = $2 and k.file_id = a.file_id
     join dataset_file f on f.tenant_id = $1 and f.id = a.file_id
     left join dataset_file i on a.match = 'matched' and i.tenant_id = $1 and i.id = a.image_id
     order by a.file_id, a.seq`,
    [tx.tenantId, datasetId, after?.fileId ?? FIRST_ID, after?.seq ?? -1, limit],
  );
  return rows.map(({ file_id, seq, ...entry }) => ({ place: { fileId: file_id, seq }, entry }));
}

/** Classes that these files list themselves. */
export async function classesOfFiles(tx: TenantTransaction, datasetId: string, fileIds: readonly string[]): Promise<Map<string, ReadonlyMap<number, string>>> {
  const rows = await tx.query<{ file_id: string; classes: AnnotationClass[] }>(
    'select file_id, classes from dataset_annotation_file where tenant_id = $1 and dataset_id = $2 and file_id = any($3::uuid[])',
    [tx.tenantId, datasetId, fileIds],
  );
  return new Map(rows.map(({ file_id, classes }) => [file_id, new Map(classes.map(({ id, name }) => [id, name]))]));
}

/** Entries by how their matching went, with the first ones by path. */
export async function countMatches(tx: TenantTransaction, datasetId: string): Promise<MatchCount[]> {
  return tx.query<{ match: string; count: number; examples: string[] }>(
    `select match, max(total) as count, array_agg(example order by turn) as examples
     from (select a.match, count(*) over (partition by a.match) as total, row_number() over (partition by a.match order by f.path, a.seq) as turn,
             f.path || case when k.kind = 'yolo' then '' else ': ' || a.name || coalesce('.' || nullif(a.extension, ''), '') end || coalesce(' (there is ' || i.path || ')', '') as example
           from dataset_annotation a
           join dataset_annotation_file k on k.tenant_id = a.tenant_id and k.dataset_id = a.dataset_id and k.file_id = a.file_id
           join dataset_file f on f.tenant_id = a.tenant_id and f.id = a.file_id
           left join dataset_file i on a.match in ('case_mismatch', 'extension_mismatch') and i.tenant_id = a.tenant_id and i.id = a.image_id
           where a.tenant_id = $1 and a.dataset_id = $2) e
     where turn <= ${EXAMPLES} group by match`,
    [tx.tenantId, datasetId],
  );
}

/** Images that no entry was matched to. */
export async function imagesWithoutAnnotation(tx: TenantTransaction, datasetId: string): Promise<{ count: number; examples: string[] }> {
  const [row] = await tx.query<{ count: number; examples: string[] }>(
    `with bare as (
       select path from dataset_file f where tenant_id = $1 and dataset_id = $2 and kind = 'image'
         and not exists (select 1 from dataset_annotation a where a.tenant_id = $1 and a.dataset_id = $2 and a.match = 'matched' and a.image_id = f.id))
     select (select count(*) from bare) as count, array(select path from bare order by path limit ${EXAMPLES}) as examples`,
    [tx.tenantId, datasetId],
  );
  return row ?? { count: 0, examples: [] };
}

/** Objects of images that their file does not list. */
export async function countOrphans(tx: TenantTransaction, datasetId: string): Promise<number> {
  const [row] = await tx.query<{ n: number }>('select coalesce(sum(orphan_count), 0)::bigint as n from dataset_annotation_file where tenant_id = $1 and dataset_id = $2', [
    tx.tenantId,
    datasetId,
  ]);
  return row?.n ?? 0;
}

export async function exactDuplicates(tx: TenantTransaction, datasetId: string): Promise<ExactDuplicates> {
  const [row] = await tx.query<ExactDuplicates & Record<string, unknown>>(
    `with alike as materialized (
       select sha256, count(*) as images, min(path) as first, max(path) as last, bool_or(split = 'train') as train, count(*) filter (where split in ('val', 'test')) as held,
         min(path) filter (where split = 'train') as of_train, min(path) filter (where split in ('val', 'test')) as of_held
       from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image' group by sha256 having count(*) > 1)
     select count(*) as groups, coalesce(sum(images), 0)::bigint as images, coalesce(sum(held) filter (where train), 0)::bigint as leaked,
       coalesce((select jsonb_agg(jsonb_build_array(first, last)) from (select first, last from alike order by first limit ${EXAMPLES}) e), '[]') as examples,
       coalesce((select jsonb_agg(jsonb_build_array(of_train, of_held)) from (select of_train, of_held from alike where train and held > 0 order by first limit ${EXAMPLES}) e), '[]') as leak_examples
     from alike`,
    [tx.tenantId, datasetId],
  );
  return row as ExactDuplicates;
}

const HASHES_AT_ONCE = 5000;

/** Distinct contents of images by perceptual hash; at most `limit` hashes, read a few thousand at a time. */
export async function hashGroups(tx: TenantTransaction, datasetId: string, limit: number): Promise<HashGroups> {
  await tx.execute(
    `declare hashes no scroll cursor for with content as (
       select sha256, min(phash) as phash, coalesce(bool_or(split = 'train'), false) as train, coalesce(bool_or(split in ('val', 'test')), false) as held
       from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image' and phash is not null group by sha256)
     select phash::text as hash, count(*) as images, count(*) filter (where train) as train, count(*) filter (where held and not train) as held from content group by phash order by phash limit $3`,
    [tx.tenantId, datasetId, limit],
  );
  const groups = new HashGroups(limit);
  for (let read = HASHES_AT_ONCE; read === HASHES_AT_ONCE; ) {
    const rows = await tx.query<HashGroup & Record<string, unknown>>(`fetch ${HASHES_AT_ONCE} from hashes`);
    for (const row of rows) groups.add(row);
    read = rows.length;
  }
  await tx.execute('close hashes');
  return groups;
}

export interface HashPaths {
  readonly first: string;
  readonly last: string;
  readonly of_train: string | null;
  readonly of_held: string | null;
}

/** Images that have these hashes. */
export async function pathsOfHashes(tx: TenantTransaction, datasetId: string, hashes: readonly string[]): Promise<Map<string, HashPaths>> {
  const rows = await tx.query<HashPaths & { hash: string } & Record<string, unknown>>(
    `select phash::text as hash, min(path) as first, max(path) as last, min(path) filter (where split = 'train') as of_train, min(path) filter (where split in ('val', 'test')) as of_held
     from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image' and phash = any($3::bigint[]) group by phash`,
    [tx.tenantId, datasetId, hashes],
  );
  return new Map(rows.map((row) => [row.hash, row]));
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
