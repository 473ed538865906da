import { type SqlBool, sql } from 'kysely';
import type { FormatEvidence } from '../../../../formats/annotations/annotation-format.js';
import type { AnnotationClass } from '../../../../formats/annotations/annotation.types.js';
import { anyOf } from '../../../orm/any-of.js';
import type { TenantTransaction } from '../../../orm/transaction.js';
import { filesOfAnnotations } from '../entries/annotation-file.queries.js';
import type { ClassList } from '../matching/class-lists.js';

const annotationFiles = (tx: TenantTransaction, datasetId: string) =>
  tx.kysely
    .selectFrom('dataset_annotation_file as a')
    .where('a.tenantId', '=', tx.tenantId)
    .where('a.datasetId', '=', datasetId);

/** What decides the format of a dataset. */
export async function formatEvidence(tx: TenantTransaction, datasetId: string): Promise<FormatEvidence> {
  const kinds = await annotationFiles(tx, datasetId)
    .groupBy('a.kind')
    .select(({ fn }) => [
      'a.kind',
      fn.countAll<number>().as('files'),
      fn.countAll<number>().filterWhere('a.objectCount', '>', 0).as('filled'),
    ])
    .execute();
  const { images, inFolders } = await tx.kysely
    .selectFrom('dataset_file')
    .where('tenantId', '=', tx.tenantId)
    .where('datasetId', '=', datasetId)
    .where('kind', '=', 'image')
    .select(({ fn }) => [
      fn.countAll<number>().as('images'),
      fn.countAll<number>().filterWhere('path', 'like', '%/%').as('inFolders'),
    ])
    .executeTakeFirstOrThrow();
  return {
    files: Object.fromEntries(kinds.map(({ kind, files }) => [kind, files])),
    labelsWithObjects: kinds.find(({ kind }) => kind === 'yolo')?.filled ?? 0,
    images,
    inFolders,
  };
}

/** The first files of each of these kinds, by path. */
export const annotationFileExamples = (
  tx: TenantTransaction,
  datasetId: string,
  kinds: readonly string[],
): Promise<Array<{ kind: string; path: string }>> =>
  filesOfAnnotations(tx, datasetId)
    .where(sql<SqlBool>`a.kind = any(${kinds})`)
    .distinctOn('a.kind')
    .select(['a.kind', 'f.path'])
    .orderBy('a.kind')
    .orderBy('f.path')
    .execute();

export interface YoloNames {
  readonly classes: readonly AnnotationClass[];
  readonly path: string;
}

/**
 * What names the classes of YOLO labels: the configuration nearest to the top, otherwise a list of names, otherwise a
 * configuration that only counts them.
 */
export async function findYoloNames(tx: TenantTransaction, datasetId: string): Promise<YoloNames | null> {
  const row = await filesOfAnnotations(tx, datasetId)
    .where('a.kind', 'in', ['yolo_config', 'yolo_names'])
    .where(sql<SqlBool>`jsonb_array_length(a.classes) > 0`)
    .select([sql<AnnotationClass[]>`a.classes`.as('classes'), 'f.path'])
    .orderBy(sql`a.kind = 'yolo_config' and a.classes->0->>'name' = 'class_0'`)
    .orderBy('a.kind')
    .orderBy(sql`length(f.path)`)
    .orderBy('f.path')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * The shape of key points in the configuration nearest to the top that states one, which need not be the one that names
 * the classes.
 */
export async function findKeypointShape(
  tx: TenantTransaction,
  datasetId: string,
): Promise<{ shape: readonly [points: number, numbers: number]; path: string } | null> {
  const row = await filesOfAnnotations(tx, datasetId)
    .where('a.kind', '=', 'yolo_config')
    .where('a.keypointShape', 'is not', null)
    .select([sql<[number, number]>`a.keypoint_shape`.as('shape'), 'f.path'])
    .orderBy(sql`length(f.path)`)
    .orderBy('f.path')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** Names of the classes that COCO files declare, at most `limit`. */
export async function declaredClasses(
  tx: TenantTransaction,
  datasetId: string,
  limit: number,
): Promise<string[]> {
  const rows = await annotationFiles(tx, datasetId)
    .crossJoinLateral(sql<{ c: unknown }>`jsonb_array_elements(a.classes)`.as<'c'>(sql`c`))
    .where('a.kind', '=', 'coco')
    .distinct()
    .select(sql<string>`c->>'name'`.as('name'))
    .orderBy('name')
    .limit(limit)
    .execute();
  return rows.map(({ name }) => name);
}

/** Classes that these files list themselves. */
export async function classesOfFiles(
  tx: TenantTransaction,
  datasetId: string,
  fileIds: readonly string[],
): Promise<Map<string, ClassList>> {
  const rows = await annotationFiles(tx, datasetId)
    .where('a.fileId', '=', anyOf(fileIds))
    .select(['a.fileId', sql<AnnotationClass[]>`a.classes`.as('classes')])
    .execute();
  return new Map(
    rows.map(({ fileId, classes }) => [fileId, new Map(classes.map(({ id, name }) => [id, name]))]),
  );
}

/** Objects of images that their file does not list. */
export async function countOrphans(tx: TenantTransaction, datasetId: string): Promise<number> {
  const { n } = await annotationFiles(tx, datasetId)
    .select(sql<number>`coalesce(sum(a.orphan_count), 0)::bigint`.as('n'))
    .executeTakeFirstOrThrow();
  return n;
}
