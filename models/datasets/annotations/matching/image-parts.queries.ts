import { MAX_CLASSES_IN_PARTS } from '../../catalog/dataset.types.js';
import { type SqlBool, sql } from 'kysely';
import type { PartFolder, Split } from '../../../../formats/annotations/annotation.types.js';
import {
  endingsOf,
  isImageList,
  type MissingParts,
  listOfConfiguration,
  type PartList,
  type RepeatedPart,
} from '../../../../formats/annotations/yolo/yolo-parts.js';
import type { TenantTransaction } from '../../../orm/transaction.js';
import { filesOfAnnotations } from '../entries/annotation-file.queries.js';
import type { ImageParts } from '../report/annotation-report.types.js';
import { foldersThere, listsThere } from './image-parts.sql.js';

export interface FoundParts extends MissingParts {
  readonly folders: readonly PartFolder[];
  readonly lists: readonly PartList[];
  readonly repeated: readonly RepeatedPart[];
}

export const NO_PARTS: FoundParts = { path: null, folders: [], lists: [], missing: [], repeated: [] };

/** Parts that the YOLO configuration nearest to the top names; empty where none does. */
export async function findPartFolders(tx: TenantTransaction, datasetId: string): Promise<FoundParts> {
  const row = await filesOfAnnotations(tx, datasetId)
    .where('a.kind', '=', 'yolo_config')
    .where(sql<SqlBool>`jsonb_array_length(a.part_folders) > 0`)
    .select([sql<PartFolder[]>`a.part_folders`.as('partFolders'), 'f.path'])
    .orderBy(sql`length(f.path)`)
    .orderBy('f.path')
    .limit(1)
    .executeTakeFirst();
  const named = row?.partFolders ?? [];
  const places = named.map((one) => (one.isAbsolute ? endingsOf(one, named) : [one.folder]));
  const placesOf = (areLists: boolean) => [
    ...new Set(places.filter((_, at) => isImageList(named[at] as PartFolder) === areLists).flat()),
  ];
  const there = await foldersThere(tx, datasetId, placesOf(false));
  const listed = await listsThere(tx, datasetId, placesOf(true));
  const folders: PartFolder[] = [];
  const lists: PartList[] = [];
  const repeated: RepeatedPart[] = [];
  const earliest = new Map<string, Split>();
  const foundNames = new Set<string>();
  for (const [at, one] of named.entries()) {
    const folder = places[at]?.find((place) => there.has(place));
    const fileId = listOfConfiguration(listed, places[at] ?? [], row?.path ?? '');
    if (folder !== undefined) folders.push({ split: one.split, folder });
    if (fileId !== null && !lists.some((list) => list.fileId === fileId))
      lists.push({ split: one.split, fileId });
    const place = folder ?? fileId;
    const earlier = earliest.get(place ?? '') ?? one.split;
    if (place) earliest.set(place, earlier);
    if (earlier !== one.split) repeated.push({ split: one.split, earlier, name: one.name ?? one.folder });
    if (folder !== undefined || fileId !== null) foundNames.add(saidOf(one));
  }
  // One match per name is enough.
  const missing = named.filter(
    (one) => (one.isAbsolute || one.name !== undefined) && !foundNames.has(saidOf(one)),
  );
  return { path: row?.path ?? null, folders, lists, missing, repeated };
}

const saidOf = ({ split, name, folder }: PartFolder): string => `${split} ${name ?? folder}`;

/** Images by part of the dataset and class folder, and their sizes. */
export async function imageParts(tx: TenantTransaction, datasetId: string): Promise<ImageParts> {
  const images = tx.kysely
    .selectFrom('dataset_file')
    .where('tenantId', '=', tx.tenantId)
    .where('datasetId', '=', datasetId)
    .where('kind', '=', 'image');
  const bySplit = await images
    .groupBy('split')
    .select(({ fn }) => ['split', fn.countAll<number>().as('images')])
    .orderBy('images', 'desc')
    .orderBy('split')
    .execute();
  const byClass = await images
    .where('label', 'is not', null)
    .groupBy(['split', 'label'])
    .select(({ fn }) => ['split', sql<string>`label`.as('label'), fn.countAll<number>().as('images')])
    .orderBy('images', 'desc')
    .orderBy('label')
    .orderBy('split')
    .limit(MAX_CLASSES_IN_PARTS)
    .execute();
  const sizes = await images
    .where('width', 'is not', null)
    .select([
      sql<number | null>`round(avg(width))::int`.as('meanWidth'),
      sql<number | null>`round(avg(height))::int`.as('meanHeight'),
      sql<number | null>`percentile_disc(0.5) within group (order by width)`.as('medianWidth'),
      sql<number | null>`percentile_disc(0.5) within group (order by height)`.as('medianHeight'),
      sql<number>`count(distinct (width, height))`.as('distinctSizes'),
    ])
    .executeTakeFirstOrThrow();
  return { bySplit, byClass, sizes };
}
