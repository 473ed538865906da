import { steerPlanner } from '../../orm/planner.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { AnnotationClass, AnnotationFileKind } from './annotation.types.js';
import type { Contradictions, ExactDuplicates, MatchCount } from './annotation-report.types.js';
import type { FormatEvidence } from './annotation-format.rules.js';
import type { ClassList } from './class-lists.js';
import { type HashGroup, HashGroups, type Look } from './near-duplicates.rules.js';
import type { MatchedEntry } from './object-statistics.rules.js';
import { OBJECT_BYTES } from './packed-objects.rules.js';

const EXAMPLES = 10;

/** What decides the format of a dataset. */
export async function formatEvidence(tx: TenantTransaction, datasetId: string): Promise<FormatEvidence> {
  const kinds = await tx.query<{ kind: AnnotationFileKind; files: number; filled: number }>(
    'select kind, count(*) as files, count(*) filter (where object_count > 0) as filled from dataset_annotation_file where tenant_id = $1 and dataset_id = $2 group by kind',
    [tx.tenantId, datasetId],
  );
  const [images] = await tx.query<{ images: number; in_folders: number }>(
    "select count(*) as images, count(*) filter (where path like '%/%') as in_folders from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image'",
    [tx.tenantId, datasetId],
  );
  return {
    files: Object.fromEntries(kinds.map(({ kind, files }) => [kind, files])),
    labelsWithObjects: kinds.find(({ kind }) => kind === 'yolo')?.filled ?? 0,
    images: images?.images ?? 0,
    inFolders: images?.in_folders ?? 0,
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

export interface YoloNames {
  readonly classes: readonly AnnotationClass[];
  readonly path: string;
}

/** What names the classes of YOLO labels: the configuration nearest to the top, otherwise a list of names, otherwise a configuration that only counts them. */
export async function findYoloNames(tx: TenantTransaction, datasetId: string): Promise<YoloNames | null> {
  const [row] = await tx.query<{ classes: AnnotationClass[]; path: string }>(
    `select a.classes, f.path from dataset_annotation_file a join dataset_file f on f.tenant_id = a.tenant_id and f.id = a.file_id
     where a.tenant_id = $1 and a.dataset_id = $2 and a.kind in ('yolo_config', 'yolo_names') and jsonb_array_length(a.classes) > 0
     order by a.kind = 'yolo_config' and a.classes->0->>'name' = 'class_0', a.kind, length(f.path), f.path limit 1`,
    [tx.tenantId, datasetId],
  );
  return row ?? null;
}

/** The shape of key points in the configuration nearest to the top that states one, which need not be the one that names the classes. */
export async function findKeypointShape(tx: TenantTransaction, datasetId: string): Promise<readonly [points: number, numbers: number] | null> {
  const [row] = await tx.query<{ shape: [number, number] }>(
    `select a.keypoint_shape as shape from dataset_annotation_file a join dataset_file f on f.tenant_id = a.tenant_id and f.id = a.file_id
     where a.tenant_id = $1 and a.dataset_id = $2 and a.kind = 'yolo_config' and a.keypoint_shape is not null order by length(f.path), f.path limit 1`,
    [tx.tenantId, datasetId],
  );
  return row?.shape ?? null;
}

export interface EntryPlace {
  readonly imageId: string;
  readonly fileId: string;
  readonly seq: number;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Bytes of objects after which a page ends. */
const PAGE_BYTES = 8 * 1024 * 1024;

/** The next matched entries, those of one image together; none when all were read. @param after the last one of the page before, or null */
export async function entryPage(tx: TenantTransaction, datasetId: string, after: EntryPlace | null, limit: number): Promise<Array<{ place: EntryPlace; entry: MatchedEntry }>> {
  // A few rows by their keys.
  await steerPlanner(tx, { without: ['hashjoin', 'mergejoin', 'seqscan'] });
  const rows = await tx.query<MatchedEntry & { image_id: string; file_id: string; seq: number }>(
    `with page as materialized (
       select * from (
         select a.*, sum(octet_length(objects)) over (order by image_id, file_id, seq) - octet_length(objects) as before
         from (select image_id, file_id, seq, width, height, objects from dataset_annotation
           where tenant_id = $1 and dataset_id = $2 and match = 'matched' and (image_id, file_id, seq) > ($3::uuid, $4::uuid, $5) order by image_id, file_id, seq limit $6) a) b
       where before < ${PAGE_BYTES})
     select a.image_id, a.file_id, a.seq, k.kind, f.path, i.path as "imagePath", i.split, coalesce(case when i.is_turned then i.height else i.width end, a.width) as width,
       coalesce(case when i.is_turned then i.width else i.height end, a.height) as height, coalesce(i.is_turned, false) as "isTurned", a.width as "claimedWidth", a.height as "claimedHeight", a.objects
     from page a
     join dataset_annotation_file k on k.tenant_id = $1 and k.dataset_id = $2 and k.file_id = a.file_id
     join dataset_file f on f.tenant_id = $1 and f.id = a.file_id
     left join dataset_file i on i.tenant_id = $1 and i.id = a.image_id
     order by a.image_id, a.file_id, a.seq`,
    [tx.tenantId, datasetId, after?.imageId ?? FIRST_ID, after?.fileId ?? FIRST_ID, after?.seq ?? -1, limit],
  );
  return rows.map(({ image_id, file_id, seq, ...entry }) => ({ place: { imageId: image_id, fileId: file_id, seq }, entry }));
}

/** Objects of entries without an image, and images whose entries have no object. */
export async function emptyMatches(tx: TenantTransaction, datasetId: string): Promise<{ objectsWithoutImage: number; imagesWithoutObjects: number }> {
  const [row] = await tx.query<{ lost: number; bare: number }>(
    `select (select coalesce(sum(octet_length(objects)), 0)::bigint / ${OBJECT_BYTES} from dataset_annotation where tenant_id = $1 and dataset_id = $2 and match <> 'matched') as lost,
       (select count(*) from (select from dataset_annotation where tenant_id = $1 and dataset_id = $2 and match = 'matched' group by image_id having max(octet_length(objects)) = 0) e) as bare`,
    [tx.tenantId, datasetId],
  );
  return { objectsWithoutImage: row?.lost ?? 0, imagesWithoutObjects: row?.bare ?? 0 };
}

/** Names of the classes that COCO files declare, at most `limit`. */
export async function declaredClasses(tx: TenantTransaction, datasetId: string, limit: number): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    `select distinct c->>'name' as name from dataset_annotation_file a cross join lateral jsonb_array_elements(a.classes) c
     where a.tenant_id = $1 and a.dataset_id = $2 and a.kind = 'coco' order by name limit $3`,
    [tx.tenantId, datasetId, limit],
  );
  return rows.map(({ name }) => name);
}

/** Classes that these files list themselves. */
export async function classesOfFiles(tx: TenantTransaction, datasetId: string, fileIds: readonly string[]): Promise<Map<string, ClassList>> {
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
           where a.tenant_id = $1 and a.dataset_id = $2 and a.match is not null) e
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

/** Text files beside an image, of its name, that are no label files: broken ones, where the others are labels. */
export async function textsBesideImages(tx: TenantTransaction, datasetId: string): Promise<{ count: number; examples: string[] }> {
  const [row] = await tx.query<{ count: number; examples: string[] }>(
    `with text as materialized (
       select path from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'other' and path like '%.txt'
         and left(path, -4) in (select regexp_replace(path, '([^/])\\.[^./]*$', '\\1') from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image'))
     select (select count(*) from text) as count, array(select path from text order by path limit ${EXAMPLES}) as examples`,
    [tx.tenantId, datasetId],
  );
  return row ?? { count: 0, examples: [] };
}

/** Lists of images of Pascal VOC, which name parts of the dataset. */
export async function vocPartLists(tx: TenantTransaction, datasetId: string): Promise<{ count: number; examples: string[] }> {
  const [row] = await tx.query<{ count: number; examples: string[] }>(
    `with list as materialized (select path from dataset_file where tenant_id = $1 and dataset_id = $2 and kind <> 'image' and path ~* '(^|/)ImageSets/[^/]+/(train|val|trainval|test)\\.txt$')
     select (select count(*) from list) as count, array(select path from list order by path limit ${EXAMPLES}) as examples`,
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

/** Images whose bytes are also those of an image of another class, with the first two paths of different classes. */
export async function contradictingLabels(tx: TenantTransaction, datasetId: string): Promise<Contradictions> {
  const [row] = await tx.query<Contradictions & Record<string, unknown>>(
    `with labelled as (select sha256, label, path from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image' and label is not null),
     mixed as materialized (
       select sha256, count(*) as images, min(path) as first, min(label) as one, max(label) as other from labelled group by sha256 having min(label) <> max(label)),
     example as materialized (select * from mixed order by first limit 1)
     select coalesce((select sum(images) from mixed), 0)::bigint as images, array(
       select min(l.path) from labelled l join example e on l.sha256 = e.sha256 and l.label in (e.one, e.other) group by l.label order by 1) as example`,
    [tx.tenantId, datasetId],
  );
  return row as Contradictions;
}

const HASHES_AT_ONCE = 5000;

/** Distinct contents of images by what they look like; at most `limit` groups, read a few thousand at a time. */
export async function hashGroups(tx: TenantTransaction, datasetId: string, limit: number): Promise<HashGroups> {
  await tx.execute(
    `declare hashes no scroll cursor for with content as (
       select phash, tones, coalesce(bool_or(split = 'train'), false) as train, coalesce(bool_or(split in ('val', 'test')), false) as held
       from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image' and phash is not null group by sha256, phash, tones)
     select phash::text as hash, tones, count(*) as images, count(*) filter (where train) as train, count(*) filter (where held and not train) as held
     from content group by phash, tones order by phash limit $3`,
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

export interface LookPaths {
  readonly first: string;
  readonly last: string;
  readonly of_train: string | null;
  readonly of_held: string | null;
}

/** Images that look so, in the order of the looks; null where there are none any more. */
export async function pathsOfLooks(tx: TenantTransaction, datasetId: string, looks: readonly Look[]): Promise<Array<LookPaths | null>> {
  const rows = await tx.query<LookPaths & { at: number } & Record<string, unknown>>(
    `select l.at, min(path) as first, max(path) as last, min(path) filter (where split = 'train') as of_train, min(path) filter (where split in ('val', 'test')) as of_held
     from unnest($3::bigint[], $4::text[]) with ordinality as l (hash, tones, at)
     join dataset_file f on f.tenant_id = $1 and f.dataset_id = $2 and f.kind = 'image' and f.phash = l.hash and f.tones is not distinct from decode(l.tones, 'hex') group by l.at`,
    [tx.tenantId, datasetId, looks.map(({ hash }) => hash), looks.map(({ tones }) => tones)],
  );
  const byPlace = new Map(rows.map((row) => [Number(row.at), row]));
  return looks.map((_, at) => byPlace.get(at + 1) ?? null);
}
