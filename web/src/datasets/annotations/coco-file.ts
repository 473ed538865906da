import { runMask } from '../../shared/run-mask';
import { NO_OUTLINE, type Outline } from './drawn.types';

type Fields = Readonly<Record<string, unknown>>;

/** Outlines and key points of a COCO file by its entries, as the list `images` has them. */
export class CocoFile {
  private readonly images: readonly Fields[];
  private readonly objects = new Map<unknown, Fields[]>();
  private readonly categories: ReadonlyMap<unknown, Fields>;

  /** @param root of the JSON */
  constructor(root: unknown) {
    const { images, annotations, categories } = fieldsOf(root);
    this.images = listOf(images).map(fieldsOf);
    this.categories = new Map(listOf(categories).map((one) => [fieldsOf(one).id, fieldsOf(one)]));
    for (const object of listOf(annotations).map(fieldsOf)) {
      const known = this.objects.get(object.image_id);
      if (known) known.push(object);
      else this.objects.set(object.image_id, [object]);
    }
  }

  /** For each object that the validation reads of an entry, in the order of the file. @param entry place in `images` */
  outlinesOf(entry: number): Outline[] {
    const image = this.images[entry];
    if (image === undefined) return [];
    return (this.objects.get(image.id) ?? []).flatMap((object) => this.outlinesIn(object));
  }

  /** Segments of a panoptic annotation are objects whose masks are a picture of their own; captions are none. */
  private outlinesIn(object: Fields): Outline[] {
    const { bbox, segmentation, keypoints, segments_info: segments } = object;
    const boxed = listOf(segments).filter((segment) => numbersOf(fieldsOf(segment).bbox).length === 4);
    const outlines: Outline[] = boxed.map(() => NO_OUTLINE);
    if ((bbox ?? segmentation ?? keypoints ?? null) === null) return outlines;
    const points = pointsOf(keypoints);
    const skeleton = points.length === 0 ? [] : skeletonOf(this.categories.get(object.category_id)?.skeleton);
    return [...outlines, { ...shapeOf(segmentation), points, skeleton }];
  }
}

function shapeOf(value: unknown): Pick<Outline, 'polygons' | 'mask'> {
  if (Array.isArray(value)) {
    const lists: unknown[] = value.every((one) => typeof one === 'number') ? [value] : value;
    return { polygons: lists.map(numbersOf).filter((list) => list.length >= 6), mask: null };
  }
  const { size, counts } = fieldsOf(value);
  return { polygons: [], mask: runMask(size, counts) };
}

function pointsOf(value: unknown): Outline['points'] {
  const numbers = numbersOf(value);
  const points: Array<readonly [number, number, boolean] | null> = [];
  for (let at = 0; at + 2 < numbers.length; at += 3) {
    const [x = 0, y = 0, seen = 0] = numbers.slice(at, at + 3);
    points.push(seen > 0 ? [x, y, seen > 1] : null);
  }
  return points;
}

/** COCO counts the points of a skeleton from 1. */
const skeletonOf = (value: unknown): Outline['skeleton'] =>
  listOf(value).flatMap((pair) => {
    const [from, to] = numbersOf(pair);
    return from === undefined || to === undefined ? [] : [[from - 1, to - 1] as const];
  });

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const numbersOf = (value: unknown): number[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'number' && Number.isFinite(one))
    ? (value as number[])
    : [];
