import type { TenantTransaction } from '../../../orm/transaction.js';
import type { ClassList } from '../matching/class-lists.js';
import { classesOfFiles, findKeypointShape, findYoloNames } from '../report/annotation-report.queries.js';
import type { NameOf } from '../report/object-statistics.rules.js';
import { annotatedImageIds, entriesOfImages } from './image-entries.sql.js';
import { objectsOfImage } from './image-objects.rules.js';
import type { AnnotatedImage, ImageEntry } from './image-objects.types.js';

export interface AnnotatedImages {
  readonly images: readonly AnnotatedImage[];
  /** Points of an object and numbers of a point in YOLO labels. */
  readonly keypointShape: readonly [points: number, numbers: number] | null;
}

/**
 * What the last validation stored for these images of a dataset, in their order; files that it does not have are left out.
 * @param most objects of one image
 */
export async function findImageObjects(
  tx: TenantTransaction,
  datasetId: string,
  imageIds: readonly string[],
  most: number,
): Promise<AnnotatedImages> {
  const found = await entriesOfImages(tx, datasetId, imageIds, most);
  const entries = found.flatMap((image) => image.entries);
  const hasYolo = entries.some(({ kind }) => kind === 'yolo');
  const yolo = hasYolo ? await findYoloNames(tx, datasetId) : null;
  const stated = hasYolo ? await findKeypointShape(tx, datasetId) : null;
  const keypointShape = stated?.shape ?? null;
  const own = new Set(entries.flatMap(({ kind, fileId }) => (kind === 'yolo' ? [] : [fileId])));
  const lists = own.size > 0 ? await classesOfFiles(tx, datasetId, [...own]) : new Map<string, ClassList>();
  const yoloNames = yolo && new Map(yolo.classes.map(({ id, name }) => [id, name]));
  // Without a list of names every class number stands for itself.
  const ofYolo: NameOf = (id) => (yoloNames === null ? String(id) : (yoloNames.get(id) ?? null));
  const nameOf = ({ kind, fileId }: ImageEntry): NameOf =>
    kind === 'yolo' ? ofYolo : (id) => lists.get(fileId)?.get(id) ?? null;
  const poseValues = keypointShape && 4 + keypointShape[0] * keypointShape[1];
  return { images: found.map((image) => objectsOfImage(image, nameOf, poseValues, most)), keypointShape };
}

/**
 * The first images, in no order that people know, that annotation files speak of, with their objects.
 * @param most objects of one image
 */
export const sampleAnnotatedImages = async (
  tx: TenantTransaction,
  datasetId: string,
  limit: number,
  most: number,
): Promise<readonly AnnotatedImage[]> =>
  (await findImageObjects(tx, datasetId, await annotatedImageIds(tx, datasetId, limit), most)).images;
