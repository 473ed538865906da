import { withoutSorts } from '../../../orm/planner-settings.js';
import type { TenantTransaction } from '../../../orm/transaction.js';
import type { MatchCount } from './annotation-report.types.js';
import type { MatchedEntry } from './object-statistics.rules.js';
import { OBJECT_BYTES } from '../../../../formats/annotations/packed-objects.js';

const EXAMPLES = 10;

export interface EntryPlace {
  readonly imageId: string;
  readonly fileId: string;
  readonly seq: number;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** SQL that looks a row up by one step in the index over tenant and key, chosen by the order (see withoutSorts). */
export const rowAt = (table: string, key: string, value: string, columns: string): string =>
  `(select ${columns} from (select ${key}, ${columns} from ${table}
      where tenant_id = $1 and ${key} >= ${value} order by ${key} limit 1) step where ${key} = ${value})`;

/** Bytes of objects after which a page ends. */
const PAGE_BYTES = 8 * 1024 * 1024;

/** $3 to $5: the place of the entry before, $6: how many at most. */
const NEXT_ENTRIES = `
  with page as materialized (
    select * from (
      select a.*, sum(octet_length(objects)) over (order by image_id, file_id, seq) - octet_length(objects) as before
      from (select image_id, file_id, seq, width, height, objects from dataset_annotation
        where tenant_id = $1 and dataset_id = $2 and match = 'matched'
          and (image_id, file_id, seq) > ($3::uuid, $4::uuid, $5)
        order by image_id, file_id, seq limit $6) a) b
    where before < ${PAGE_BYTES})
  select a.image_id, a.file_id, a.seq, k.kind, f.path, i.path as image_path, i.split,
    coalesce(case when i.is_turned then i.height else i.width end, a.width) as width,
    coalesce(case when i.is_turned then i.width else i.height end, a.height) as height,
    coalesce(i.is_turned, false) as is_turned, a.width as claimed_width, a.height as claimed_height, a.objects
  from page a
  cross join lateral ${rowAt('dataset_annotation_file', 'file_id', 'a.file_id', 'kind')} k
  cross join lateral ${rowAt('dataset_file', 'id', 'a.file_id', 'path')} f
  left join lateral ${rowAt('dataset_file', 'id', 'a.image_id', 'path, split, is_turned, width, height')} i on true
  order by a.image_id, a.file_id, a.seq`;

/**
 * The next matched entries, those of one image together; none when all were read.
 * @param after the last one of the page before, or null
 */
export async function entryPage(
  tx: TenantTransaction,
  datasetId: string,
  after: EntryPlace | null,
  limit: number,
): Promise<Array<{ place: EntryPlace; entry: MatchedEntry }>> {
  const params = [
    tx.tenantId,
    datasetId,
    after?.imageId ?? FIRST_ID,
    after?.fileId ?? FIRST_ID,
    after?.seq ?? -1,
    limit,
  ];
  const rows = await withoutSorts(tx, () => tx.rows<MatchedEntry & EntryPlace>(NEXT_ENTRIES, params));
  return rows.map(({ imageId, fileId, seq, ...entry }) => ({ place: { imageId, fileId, seq }, entry }));
}

/** Objects of entries without an image, and images whose entries have no object. */
export async function emptyMatches(
  tx: TenantTransaction,
  datasetId: string,
): Promise<{ objectsWithoutImage: number; imagesWithoutObjects: number }> {
  const [row] = await tx.rows<{ lost: number; bare: number }>(
    `select (select coalesce(sum(octet_length(objects)), 0)::bigint / ${OBJECT_BYTES} from dataset_annotation
         where tenant_id = $1 and dataset_id = $2 and match <> 'matched') as lost,
       (select count(*) from (select from dataset_annotation
         where tenant_id = $1 and dataset_id = $2 and match = 'matched'
         group by image_id having max(octet_length(objects)) = 0) e) as bare`,
    [tx.tenantId, datasetId],
  );
  return { objectsWithoutImage: row?.lost ?? 0, imagesWithoutObjects: row?.bare ?? 0 };
}

/** Entries by how their matching went, with the first ones by path. */
export async function countMatches(tx: TenantTransaction, datasetId: string): Promise<MatchCount[]> {
  return tx.rows<{ match: string; count: number; examples: string[] }>(
    `select match, max(total) as count, array_agg(example order by turn) as examples
     from (select a.match, count(*) over (partition by a.match) as total,
             row_number() over (partition by a.match order by f.path, a.seq) as turn,
             f.path || case when k.kind = 'yolo' then ''
               else ': ' || a.name || coalesce('.' || nullif(a.extension, ''), '') end
               || coalesce(' (there is ' || i.path || ')', '') as example
           from dataset_annotation a
           join dataset_annotation_file k
             on k.tenant_id = a.tenant_id and k.dataset_id = a.dataset_id and k.file_id = a.file_id
           join dataset_file f on f.tenant_id = a.tenant_id and f.id = a.file_id
           left join dataset_file i on a.match in ('case_mismatch', 'extension_mismatch')
             and i.tenant_id = a.tenant_id and i.id = a.image_id
           where a.tenant_id = $1 and a.dataset_id = $2 and a.match is not null) e
     where turn <= ${EXAMPLES} group by match`,
    [tx.tenantId, datasetId],
  );
}

/** SQL of how many rows a relation has, and the first paths. */
const examplesOf = (relation: string): string =>
  `select (select count(*) from ${relation}) as count,
     array(select path from ${relation} order by path limit ${EXAMPLES}) as examples`;

/** Images that no entry was matched to. */
export async function imagesWithoutAnnotation(
  tx: TenantTransaction,
  datasetId: string,
): Promise<{ count: number; examples: string[] }> {
  const [row] = await tx.rows<{ count: number; examples: string[] }>(
    `with bare as (
       select path from dataset_file f where tenant_id = $1 and dataset_id = $2 and kind = 'image'
         and not exists (select 1 from dataset_annotation a
           where a.tenant_id = $1 and a.dataset_id = $2 and a.match = 'matched' and a.image_id = f.id))
     ${examplesOf('bare')}`,
    [tx.tenantId, datasetId],
  );
  return row ?? { count: 0, examples: [] };
}

/** Text files beside an image, of its name, that are no label files: broken ones, where the others are labels. */
export async function textsBesideImages(
  tx: TenantTransaction,
  datasetId: string,
): Promise<{ count: number; examples: string[] }> {
  const [row] = await tx.rows<{ count: number; examples: string[] }>(
    `with text as materialized (
       select path from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'other' and path like '%.txt'
         and left(path, -4) in (select regexp_replace(path, '([^/])\\.[^./]*$', '\\1') from dataset_file
           where tenant_id = $1 and dataset_id = $2 and kind = 'image'))
     ${examplesOf('text')}`,
    [tx.tenantId, datasetId],
  );
  return row ?? { count: 0, examples: [] };
}

/** Lists of images of Pascal VOC, which name parts of the dataset. */
export async function vocPartLists(
  tx: TenantTransaction,
  datasetId: string,
): Promise<{ count: number; examples: string[] }> {
  const [row] = await tx.rows<{ count: number; examples: string[] }>(
    `with list as materialized (
       select path from dataset_file where tenant_id = $1 and dataset_id = $2 and kind <> 'image'
         and path ~* '(^|/)ImageSets/[^/]+/(train|val|trainval|test)\\.txt$')
     ${examplesOf('list')}`,
    [tx.tenantId, datasetId],
  );
  return row ?? { count: 0, examples: [] };
}
