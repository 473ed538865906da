import { avoidNestedLoops } from '../../../orm/planner-settings.js';
import type { TenantTransaction } from '../../../orm/transaction.js';
import { splitOfFolders } from './image-parts.sql.js';
import type { AnnotationFileKind, FileFormat } from '../../../../formats/annotations/annotation.types.js';
import type { PartList } from '../../../../formats/annotations/yolo/yolo-parts.js';

/** Images of a stem, or of an end of their paths, that more share are not compared pair by pair. */
const MAX_SAME_STEM = 100;
/** Only the last folders of deeper paths are compared. */
const MAX_SEGMENTS = 16;

/** Images with the parts of their paths, as `splitExtension` parts them. */
const IMAGES = `image as materialized (
  select id, base, regexp_replace(base, '^.*/', '') as stem, substr(path, length(base) + 2) as ext, split
  from (select id, path, ${splitOfFolders('path')} as split,
      regexp_replace(path, '([^/])\\.[^./]*$', '\\1') as base
    from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image') f)`;

/** For statements that join all files of a dataset with all of its entries. */
export async function planWholeSets(tx: TenantTransaction): Promise<void> {
  await avoidNestedLoops(tx);
  await tx.execute('set local jit = off');
}

/** Files whose entries count in a dataset of each format: beside others an empty text is no label file. */
const KINDS: Readonly<Record<FileFormat, readonly AnnotationFileKind[]>> = {
  coco: ['coco'],
  voc: ['voc'],
  yolo: ['yolo', 'yolo_list'],
};

/** The files of those kinds, which are the third parameter. */
const COUNTED = `(select file_id from dataset_annotation_file
  where tenant_id = $1 and dataset_id = $2 and kind = any($3::text[]))`;

/**
 * Finds the image of every entry that counts: where the entry says it lies, then by its name. Statements over the whole
 * dataset; `match` says how it went, and is null for entries that do not count. Repeating it changes nothing.
 */
export async function matchAnnotations(
  tx: TenantTransaction,
  datasetId: string,
  format: FileFormat,
): Promise<void> {
  await planWholeSets(tx);
  const counted = [tx.tenantId, datasetId, KINDS[format]];
  await tx.execute(
    `-- bulk: all entries of a dataset
     update dataset_annotation set image_id = null, match = null
     where tenant_id = $1 and dataset_id = $2 and match is not null`,
    [tx.tenantId, datasetId],
  );
  await matchByPlace(tx, counted);
  await matchByName(tx, counted);
  await tx.execute(
    `-- bulk: all entries of a dataset
     update dataset_annotation set match = 'no_image'
     where tenant_id = $1 and dataset_id = $2 and match is null and file_id in ${COUNTED}`,
    counted,
  );
  await settleRivals(tx, datasetId);
}

/**
 * A line of a list gives its image a part and annotates nothing, so it is no match like others. In a transaction after that
 * of the matching: rows that one transaction changes twice are held against their foreign keys again.
 * @param lists those that name parts; of others no line counts
 */
export async function settleLists(
  tx: TenantTransaction,
  datasetId: string,
  lists: readonly PartList[],
): Promise<void> {
  await tx.execute(
    `-- bulk: all lines of the lists of a dataset
     update dataset_annotation a set split = l.split,
       match = case when l.file_id is null then null when a.match = 'matched' then 'listed' else 'unlisted' end,
       image_id = case when l.file_id is not null and a.match = 'matched' then a.image_id end
     from dataset_annotation_file f
       left join jsonb_to_recordset($3::jsonb) as l (file_id uuid, split text) on l.file_id = f.file_id
     where f.tenant_id = $1 and f.dataset_id = $2 and f.kind = 'yolo_list'
       and a.tenant_id = $1 and a.dataset_id = $2 and a.file_id = f.file_id`,
    [tx.tenantId, datasetId, JSON.stringify(lists.map(({ fileId, split }) => ({ file_id: fileId, split })))],
  );
}

/**
 * An image lies at one of the places where the entry expects it, with the extension it names. What is made of each entry
 * alone is made first: joined at once, a planner that takes the entries for few goes over all images for each.
 */
async function matchByPlace(tx: TenantTransaction, counted: readonly unknown[]): Promise<void> {
  await tx.execute(
    `-- bulk: all entries of a dataset
     with ${IMAGES},
     place as materialized (
       select a.file_id, a.seq, a.extension, r.ref, r.at
       from dataset_annotation a cross join lateral unnest(a.refs) with ordinality as r (ref, at)
       where a.tenant_id = $1 and a.dataset_id = $2 and a.file_id in ${COUNTED}),
     hit as (
       select p.file_id, p.seq, i.id, rank() over entry as place,
         count(*) over (partition by p.file_id, p.seq, p.at) as ties
       from place p join image i on i.base = p.ref and (p.extension is null or p.extension = i.ext)
       window entry as (partition by p.file_id, p.seq order by p.at))
     -- bulk: the match of every entry that has one
     update dataset_annotation a set image_id = case when hit.ties = 1 then hit.id end,
       match = case when hit.ties = 1 then 'matched' else 'ambiguous_stem' end
     from (select distinct on (file_id, seq) * from hit where place = 1 order by file_id, seq, id) hit
     where a.tenant_id = $1 and a.dataset_id = $2 and a.file_id = hit.file_id and a.seq = hit.seq`,
    counted,
  );
}

/** What speaks for an image of an open entry. */
const TRAITS = `o.file_id, o.seq, i.id, i.stem = o.stem as same_case,
  o.extension is null or o.extension = i.ext as same_ext, lower(o.extension) = lower(i.ext) as alike_ext,
  lower(i.base) = lower(o.name) or lower(right(i.base, length(o.name) + 1)) = lower('/' || o.name) as inside,
  coalesce(o.split = i.split, false) as same_split`;
const SAME_PART = '(o.split is null or i.split is null or o.split = i.split)';

/** SQL of the ends of a lower-case path that begin at a folder, at most MAX_SEGMENTS long. */
const endsOf = (path: string): string =>
  `(select array_to_string(parts[n:], '/') as key from (select string_to_array(lower(${path}), '/') as parts) p
    cross join lateral generate_series(greatest(1, cardinality(parts) - ${MAX_SEGMENTS - 1}), cardinality(parts)) as n)`;

/**
 * Images of stems that very many share, with the entries whose folders fit theirs: one path ends as the other. Ends are
 * compared for equality, so that frames named alike in thousands of folders cost no more than others.
 */
const CROWDS = `throng as materialized (
       select i.* from image i where lower(i.stem) in (
         select stem from crowd where images > ${MAX_SAME_STEM} and stem in (select lower(stem) from open))),
     tail as materialized (select e.key, t.id from throng t cross join lateral ${endsOf('t.base')} e),
     shared as materialized (select key, count(*) as images from tail group by key),
     whole as materialized (
       select lower(base) as key, (array_agg(id))[1:${MAX_SAME_STEM}] as ids from throng group by 1),
     reach as materialized (
       select file_id, seq, e.key from open cross join lateral ${endsOf('open.name')} e
       where name like '%/%' and exists (select 1 from throng)),
     pair as (
       select o.file_id, o.seq, t.id
       from open o join shared k on k.key = lower(o.name) and k.images <= ${MAX_SAME_STEM} join tail t on t.key = k.key
       union
       select r.file_id, r.seq, unnest(w.ids) from reach r join whole w on w.key = r.key)`;

/**
 * The rest by stem, letter case aside. Images of another part of the dataset do not count; where the entry names folders
 * the image must lie in them, or be the only one of its stem (label files always name their folder).
 */
async function matchByName(tx: TenantTransaction, counted: readonly unknown[]): Promise<void> {
  await tx.execute(
    `-- bulk: all open entries of a dataset
     with ${IMAGES},
     crowd as materialized (select lower(stem) as stem, count(*) as images from image group by 1),
     rare as materialized (
       select i.*, c.stem as key, c.images
       from image i join crowd c on c.stem = lower(i.stem) and c.images <= ${MAX_SAME_STEM}),
     open as materialized (
       select a.file_id, a.seq, a.name, a.extension, a.split, f.kind, regexp_replace(a.name, '^.*/', '') as stem
       from dataset_annotation a join dataset_annotation_file f
         on f.tenant_id = a.tenant_id and f.dataset_id = a.dataset_id and f.file_id = a.file_id
       where a.tenant_id = $1 and a.dataset_id = $2 and a.match is null and f.kind = any($3::text[])),
     ${CROWDS},
     candidate as (
       select ${TRAITS} from open o join rare i on i.key = lower(o.stem)
       where ${SAME_PART}
         and (o.name not like '%/%' or lower(right(i.base, length(o.name) + 1)) = lower('/' || o.name)
           or lower(i.base) = lower(o.name) or lower(right(o.name, length(i.base) + 1)) = lower('/' || i.base)
           or (i.images = 1 and o.kind <> 'yolo'))
       union all
       select ${TRAITS} from pair join open o on o.file_id = pair.file_id and o.seq = pair.seq
         join throng i on i.id = pair.id where ${SAME_PART}),
     ranked as (
       select file_id, seq, id, same_case, same_ext, alike_ext,
         rank() over (partition by file_id, seq order by same_case desc, same_ext desc, alike_ext desc nulls last,
           inside desc, same_split desc) as place
       from candidate),
     best as (select *, count(*) over (partition by file_id, seq) as ties from ranked where place = 1),
     verdict as (
       select distinct on (file_id, seq) file_id, seq, id,
         case when ties > 1 then 'ambiguous_stem' when same_case and same_ext then 'matched'
           when not same_case or alike_ext then 'case_mismatch' else 'extension_mismatch' end as match
       from best order by file_id, seq, id),
     crowded as (
       select o.file_id, o.seq, null::uuid, 'ambiguous_stem'
       from open o join shared k on k.key = lower(o.name) and k.images > ${MAX_SAME_STEM})
     -- bulk: the match of every open entry
     update dataset_annotation a set image_id = case when v.match <> 'ambiguous_stem' then v.id end, match = v.match
     from (select * from verdict union all select * from crowded) v
     where a.tenant_id = $1 and a.dataset_id = $2 and a.file_id = v.file_id and a.seq = v.seq`,
    counted,
  );
}

/** A file for each image: of several label or VOC files for one image none can be said to count. COCO files may share images. */
async function settleRivals(tx: TenantTransaction, datasetId: string): Promise<void> {
  await tx.execute(
    `-- bulk: all matched entries of a dataset
     with claim as (
       select a.file_id, a.seq,
         row_number() over (partition by a.image_id order by
           array_position(a.refs, regexp_replace(i.path, '([^/])\\.[^./]*$', '\\1')) nulls last, f.path) as turn
       from dataset_annotation a
       join dataset_annotation_file k on k.tenant_id = a.tenant_id and k.dataset_id = a.dataset_id
         and k.file_id = a.file_id and k.kind in ('yolo', 'voc')
       join dataset_file f on f.tenant_id = a.tenant_id and f.id = a.file_id
       join dataset_file i on i.tenant_id = a.tenant_id and i.id = a.image_id
       where a.tenant_id = $1 and a.dataset_id = $2 and a.match = 'matched')
     update dataset_annotation a set match = 'ambiguous_stem', image_id = null from claim
     where claim.turn > 1 and a.tenant_id = $1 and a.dataset_id = $2 and a.file_id = claim.file_id and a.seq = claim.seq`,
    [tx.tenantId, datasetId],
  );
}
