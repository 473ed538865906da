import { type Box, OBJECT_FLAGS } from '../../../../formats/annotations/annotation.types.js';
import { OBJECT_BYTES, unpackObjects } from '../../../../formats/annotations/packed-objects.js';
import type { TenantTransaction } from '../../../orm/transaction.js';
import type { ClassList } from '../matching/class-lists.js';
import { classesOfFiles, findYoloNames } from '../report/annotation-report.queries.js';
import { entryPage } from '../report/annotation-report.sql.js';
import type { MatchedEntry } from '../report/object-statistics.rules.js';

/** An object of an image for people. */
export interface ImageObject {
  /** Null for a class number that nothing names. */
  readonly label: string | null;
  /** Left, top, right, bottom in pixels of the upright image. */
  readonly box: Box;
  readonly hasOutline: boolean;
  readonly hasKeypoints: boolean;
  readonly isCrowd: boolean;
}

export interface AnnotatedImage {
  readonly imageId: string;
  /** At most `most`; `total` counts all. */
  readonly objects: readonly ImageObject[];
  readonly total: number;
}

/** Files of COCO may share images, and each has an entry of its own. */
const ENTRIES_OF_IMAGE = 4;

/**
 * The first images, in no order that people know, that annotation files speak of, with their objects.
 * @param most objects of one image
 */
export async function sampleAnnotatedImages(
  tx: TenantTransaction,
  datasetId: string,
  limit: number,
  most: number,
): Promise<AnnotatedImage[]> {
  const entries = await entryPage(tx, datasetId, null, limit * ENTRIES_OF_IMAGE);
  const yolo = entries.some(({ entry }) => entry.kind === 'yolo') ? await findYoloNames(tx, datasetId) : null;
  const yoloNames: ClassList | null = yolo && new Map(yolo.classes.map(({ id, name }) => [id, name]));
  const own = new Set(entries.flatMap(({ place, entry }) => (entry.kind === 'yolo' ? [] : [place.fileId])));
  const lists = await classesOfFiles(tx, datasetId, [...own]);
  const images = new Map<string, { objects: ImageObject[]; total: number }>();
  for (const { place, entry } of entries) {
    const image = images.get(place.imageId) ?? { objects: [], total: 0 };
    if (!images.has(place.imageId) && images.size === limit) break;
    images.set(place.imageId, image);
    image.total += entry.objects.length / OBJECT_BYTES;
    const names = entry.kind === 'yolo' ? yoloNames : lists.get(place.fileId);
    const room = most - image.objects.length;
    image.objects.push(...objectsOf(entry, names ?? null).slice(0, Math.max(0, room)));
  }
  return [...images].map(([imageId, found]) => ({ imageId, ...found }));
}

function objectsOf(entry: MatchedEntry, names: ClassList | null): ImageObject[] {
  const [fx, fy] = entry.kind === 'yolo' ? [entry.width ?? 1, entry.height ?? 1] : [1, 1];
  return [...unpackObjects(entry.objects)].map(({ classId, flags, box: [x, y, width, height] }) => ({
    label: names?.get(classId) ?? (names === null && entry.kind === 'yolo' ? String(classId) : null),
    box: [x * fx, y * fy, (x + width) * fx, (y + height) * fy],
    hasOutline: (flags & (OBJECT_FLAGS.polygon | OBJECT_FLAGS.mask)) > 0,
    hasKeypoints: (flags & OBJECT_FLAGS.keypoints) > 0,
    isCrowd: (flags & OBJECT_FLAGS.crowd) > 0,
  }));
}
