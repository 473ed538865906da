import {
  type AnnotationFileKind,
  type Box,
  OBJECT_FLAGS,
  type ObjectFacts,
} from '../../../../formats/annotations/annotation.types.js';
import { unpackObjects } from '../../../../formats/annotations/packed-objects.js';
import { YoloForms } from '../../../../formats/annotations/yolo/yolo-forms.js';
import { identity, type NameOf } from '../report/object-statistics.rules.js';
import type {
  AnnotatedImage,
  ImageEntry,
  ImageObject,
  ImageWithEntries,
  ObjectSource,
} from './image-objects.types.js';

/**
 * The objects of an image from all of its entries. An object that another file repeats with the same class and box is one,
 * with what either has of it.
 * @param nameOf of the classes of an entry
 * @param poseValues numbers of a YOLO line with key points, where the dataset says so
 * @param most objects, the others are counted
 */
export function objectsOfImage(
  { entries, ...image }: ImageWithEntries,
  nameOf: (entry: ImageEntry) => NameOf,
  poseValues: number | null,
  most: number,
): AnnotatedImage {
  const objects: ImageObject[] = [];
  const places = new Map<string, number | null>();
  let total = 0;
  const sources = entries.map((entry): ObjectSource => {
    const named = nameOf(entry);
    const boxOf = boxReader(entry, image);
    const fresh = new Map<string, number | null>();
    const own: Array<number | null> = [];
    total += entry.count;
    for (const object of unpackObjects(entry.objects)) {
      const key = identity(object, named);
      let at = places.get(key);
      const read = { label: named(object.classId), ...formOf(object, entry.kind, poseValues) };
      if (at === undefined) {
        const box = objects.length < most ? boxOf(object, read.hasOutline) : null;
        at = box === null ? null : objects.push({ ...read, box }) - 1;
        if (!fresh.has(key)) fresh.set(key, at);
      } else {
        total -= 1;
        if (at !== null) objects[at] = joined(objects[at] as ImageObject, read);
      }
      own.push(at);
    }
    for (const [key, at] of fresh) places.set(key, at);
    const { fileId, path, sizeBytes, kind, seq, turn } = entry;
    return { fileId, path, sizeBytes, kind, entry: seq, isTurned: turn !== null, objects: own };
  });
  return { ...image, objects, total, sources };
}

type Form = Pick<ImageObject, 'hasOutline' | 'hasKeypoints' | 'isCrowd'>;

function formOf({ flags, values }: ObjectFacts, kind: AnnotationFileKind, poseValues: number | null): Form {
  const isCrowd = (flags & OBJECT_FLAGS.crowd) > 0;
  if (kind !== 'yolo')
    return {
      hasOutline: (flags & (OBJECT_FLAGS.polygon | OBJECT_FLAGS.mask)) > 0,
      hasKeypoints: (flags & OBJECT_FLAGS.keypoints) > 0,
      isCrowd,
    };
  const form = new YoloForms(poseValues).formOf(values);
  return {
    hasOutline: form === 'outline' || form === 'corners',
    hasKeypoints: form === 'declared' || form === 'keypoints',
    isCrowd,
  };
}

const joined = (known: ImageObject, other: Form): ImageObject => ({
  ...known,
  hasOutline: known.hasOutline || other.hasOutline,
  hasKeypoints: known.hasKeypoints || other.hasKeypoints,
  isCrowd: known.isCrowd || other.isCrowd,
});

/** Boxes as training takes them. Null for parts of an image of unknown size, and for places to be turned nobody knows how. */
function boxReader(
  { kind, turn }: ImageEntry,
  { width, height }: Pick<ImageWithEntries, 'width' | 'height'>,
): (object: ObjectFacts, hasOutline: boolean) => Box | null {
  if (kind === 'yolo')
    return ({ box, hull }, hasOutline) => {
      const [x, y, w, h] = hasOutline ? hull : box;
      return width === null || height === null
        ? null
        : [x * width, y * height, (x + w) * width, (y + h) * height];
    };
  // Pixels of VOC count from 1, and the last one belongs to the box.
  const first = kind === 'voc' ? 1 : 0;
  return ({ box: [x, y, w, h] }) => turnedBox([x - first, y - first, x + w, y + h], turn, width, height);
}

/**
 * A box of stored pixels in those of the upright image.
 * @param turn EXIF orientation from 5 to 8; null: it is upright already
 * @param width of the upright image, which is the stored height
 */
function turnedBox(box: Box, turn: number | null, width: number | null, height: number | null): Box | null {
  if (turn === null) return box;
  if (turn < 5 || width === null || height === null) return null;
  const [left, top, right, bottom] = box;
  const [x1, x2] = turn === 6 || turn === 7 ? [width - bottom, width - top] : [top, bottom];
  const [y1, y2] = turn === 7 || turn === 8 ? [height - right, height - left] : [left, right];
  return [x1, y1, x2, y2];
}
