import type {
  AnnotationClass,
  AnnotationFileKind,
} from '../../../../formats/annotations/annotation.types.js';
import type { TenantTransaction } from '../../../orm/transaction.js';
import type { ManifestAnnotation, ManifestEntry } from '../../validation/manifest.types.js';
import { findKeypointShape, findYoloNames } from '../report/annotation-report.queries.js';
import { STATES_STORED_PIXELS } from './stored-pixels.sql.js';

/** What files say of all labels of a YOLO dataset, by their paths. */
export type YoloWords = ReadonlyMap<string, Pick<ManifestAnnotation, 'names' | 'keypoint_shape'>>;

/** The file that names the classes and the one that states the shape of key points, often the same. */
export async function yoloWords(tx: TenantTransaction, datasetId: string): Promise<YoloWords> {
  const named = await findYoloNames(tx, datasetId);
  const shaped = await findKeypointShape(tx, datasetId);
  const words = new Map<string, Pick<ManifestAnnotation, 'names' | 'keypoint_shape'>>();
  if (named) words.set(named.path, { names: named.classes });
  if (shaped) words.set(shaped.path, { ...words.get(shaped.path), keypoint_shape: shaped.shape });
  return words;
}

/** Kinds of annotation files of a format, by id; of others nothing counts. */
export async function annotationsOfFiles(
  tx: TenantTransaction,
  datasetId: string,
  format: string,
  fileIds: readonly string[],
): Promise<ReadonlyMap<string, AnnotationFileKind>> {
  if (fileIds.length === 0) return new Map();
  const rows = await tx.rows<{ fileId: string; kind: AnnotationFileKind }>(
    `select file_id, kind from dataset_annotation_file
     where tenant_id = $1 and dataset_id = $2 and file_id = any($3::uuid[]) and split_part(kind, '_', 1) = $4`,
    [tx.tenantId, datasetId, fileIds, format],
  );
  return new Map(rows.map(({ fileId, kind }) => [fileId, kind]));
}

/** Classes of COCO files by the ids of their categories. */
export async function namesOfCocoFiles(
  tx: TenantTransaction,
  datasetId: string,
  fileIds: readonly string[],
): Promise<ReadonlyMap<string, readonly AnnotationClass[]>> {
  if (fileIds.length === 0) return new Map();
  const rows = await tx.rows<{ fileId: string; classes: AnnotationClass[] }>(
    `select file_id, classes from dataset_annotation_file
     where tenant_id = $1 and dataset_id = $2 and file_id = any($3::uuid[])`,
    [tx.tenantId, datasetId, fileIds],
  );
  return new Map(rows.map(({ fileId, classes }) => [fileId, classes]));
}

interface EntryRow {
  readonly imageId: string;
  readonly path: string;
  readonly seq: number;
  readonly isStored: boolean;
}

/**
 * What the files of the dataset's format say of these images, by image: what the matching found, file by file. An entry
 * that states the size as stored of an image that is stored lying has its places in stored pixels.
 */
export async function entriesOfImages(
  tx: TenantTransaction,
  datasetId: string,
  format: string,
  imageIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ManifestEntry[]>> {
  const found = new Map<string, ManifestEntry[]>();
  if (imageIds.length === 0) return found;
  // Image by image by the index, however many rows the planner takes the dataset to have.
  const rows = await tx.rows<EntryRow>(
    `select w.id as image_id, f.path, a.seq,
       ${STATES_STORED_PIXELS} as is_stored
     from unnest($3::uuid[]) as w (id)
       cross join lateral (
         select file_id, seq, width, height from dataset_annotation
         where tenant_id = $1 and dataset_id = $2 and match = 'matched' and image_id = w.id offset 0) a
       cross join lateral (select width, height, is_turned from dataset_file
         where tenant_id = $1 and id = w.id offset 0) i
       cross join lateral (select path from dataset_file where tenant_id = $1 and id = a.file_id offset 0) f
       cross join lateral (select kind from dataset_annotation_file
         where tenant_id = $1 and dataset_id = $2 and file_id = a.file_id offset 0) k
     where k.kind = $4
     order by f.path, a.seq`,
    [tx.tenantId, datasetId, imageIds, format],
  );
  for (const { imageId, path, seq, isStored } of rows) {
    const entries = found.get(imageId) ?? [];
    entries.push(isStored ? [path, seq, 'stored'] : [path, seq]);
    found.set(imageId, entries);
  }
  return found;
}
