import { LIKENESS_VERSION } from '../../../../core/ports/image-decoder.js';
import type { TenantTransaction } from '../../../orm/transaction.js';
import type { Contradictions, ExactDuplicates } from './annotation-report.types.js';
import { type HashGroup, HashGroups, type Look } from './look-alike-groups.rules.js';

const EXAMPLES = 10;

export async function exactDuplicates(tx: TenantTransaction, datasetId: string): Promise<ExactDuplicates> {
  const [row] = await tx.rows<ExactDuplicates>(
    `with alike as materialized (
       select sha256, count(*) as images, min(path) as first, max(path) as last, bool_or(split = 'train') as train,
         count(*) filter (where split in ('val', 'test')) as held, min(path) filter (where split = 'train') as of_train,
         min(path) filter (where split in ('val', 'test')) as of_held
       from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image' group by sha256 having count(*) > 1)
     select count(*) as groups, coalesce(sum(images), 0)::bigint as images,
       coalesce(sum(held) filter (where train), 0)::bigint as leaked,
       coalesce((select jsonb_agg(jsonb_build_array(first, last))
         from (select first, last from alike order by first limit ${EXAMPLES}) e), '[]') as examples,
       coalesce((select jsonb_agg(jsonb_build_array(of_train, of_held))
         from (select of_train, of_held from alike where train and held > 0 order by first limit ${EXAMPLES}) e), '[]')
         as leak_examples
     from alike`,
    [tx.tenantId, datasetId],
  );
  return row as ExactDuplicates;
}

/** Images whose bytes are also those of an image of another class, with the first two paths of different classes. */
export async function contradictingLabels(tx: TenantTransaction, datasetId: string): Promise<Contradictions> {
  const [row] = await tx.rows<Contradictions>(
    `with labelled as (
       select sha256, label, path from dataset_file
       where tenant_id = $1 and dataset_id = $2 and kind = 'image' and label is not null),
     mixed as materialized (
       select sha256, count(*) as images, min(path) as first, min(label) as one, max(label) as other
       from labelled group by sha256 having min(label) <> max(label)),
     example as materialized (select * from mixed order by first limit 1)
     select coalesce((select sum(images) from mixed), 0)::bigint as images, array(
       select min(l.path) from labelled l join example e on l.sha256 = e.sha256 and l.label in (e.one, e.other)
       group by l.label order by 1) as example`,
    [tx.tenantId, datasetId],
  );
  return row as Contradictions;
}

const HASHES_AT_ONCE = 5000;

/** Distinct contents of images by what they look like; at most `limit` groups, read a few thousand at a time. */
export async function hashGroups(
  tx: TenantTransaction,
  datasetId: string,
  limit: number,
): Promise<HashGroups> {
  await tx.execute(
    `declare hashes no scroll cursor for with content as (
       select phash, tones, coalesce(bool_or(split = 'train'), false) as train,
         coalesce(bool_or(split in ('val', 'test')), false) as held
       from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image' and phash is not null
         and likeness_version = ${LIKENESS_VERSION} group by sha256, phash, tones)
     select phash::text as hash, tones, count(*) as images, count(*) filter (where train) as train,
       count(*) filter (where held and not train) as held
     from content group by phash, tones order by phash limit $3`,
    [tx.tenantId, datasetId, limit],
  );
  const groups = new HashGroups(limit);
  for (let read = HASHES_AT_ONCE; read === HASHES_AT_ONCE; ) {
    const rows = await tx.rows<HashGroup>(`fetch ${HASHES_AT_ONCE} from hashes`);
    for (const row of rows) groups.add(row);
    read = rows.length;
  }
  await tx.execute('close hashes');
  return groups;
}

/** Whether some likenesses were made in another way than the present one: their images are not compared until they are read again. */
export async function hasOtherLikenesses(tx: TenantTransaction, datasetId: string): Promise<boolean> {
  const [row] = await tx.rows<{ found: boolean }>(
    `select exists (select from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image' and phash is not null
       and likeness_version is distinct from ${LIKENESS_VERSION}) as found`,
    [tx.tenantId, datasetId],
  );
  return row?.found === true;
}

export interface LookPaths {
  readonly first: string;
  readonly last: string;
  readonly ofTrain: string | null;
  readonly ofHeld: string | null;
}

/** Images that look so, in the order of the looks; null where there are none any more. */
export async function pathsOfLooks(
  tx: TenantTransaction,
  datasetId: string,
  looks: readonly Look[],
): Promise<Array<LookPaths | null>> {
  const rows = await tx.rows<LookPaths & { at: number }>(
    `select l.at, min(path) as first, max(path) as last, min(path) filter (where split = 'train') as of_train,
       min(path) filter (where split in ('val', 'test')) as of_held
     from unnest($3::bigint[], $4::text[]) with ordinality as l (hash, tones, at)
     join dataset_file f on f.tenant_id = $1 and f.dataset_id = $2 and f.kind = 'image'
       and f.likeness_version = ${LIKENESS_VERSION} and f.phash = l.hash and f.tones = decode(l.tones, 'hex')
     group by l.at`,
    [tx.tenantId, datasetId, looks.map(({ hash }) => hash), looks.map(({ tones }) => tones)],
  );
  const byPlace = new Map(rows.map((row) => [Number(row.at), row]));
  return looks.map((_, at) => byPlace.get(at + 1) ?? null);
}
