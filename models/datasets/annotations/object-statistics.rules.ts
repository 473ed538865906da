import type { AnnotationTask, ValueCounts } from './annotation-format.rules.js';
import { type AnnotationFileKind, type Box, OBJECT_FLAGS, type ObjectFacts, type Split } from './annotation.types.js';
import { OBJECT_BYTES, unpackObjects } from './packed-objects.rules.js';

export const MAX_EXAMPLES = 10;
/** COCO's limits of small and medium boxes, in pixels of area. */
const [SMALL, MEDIUM] = [32 ** 2, 96 ** 2];
/** Upper ends of the classes of relative area; the last one has none. */
export const AREA_PARTS = [0.001, 0.01, 0.1, 0.5] as const;
const MAX_CLASSES = 10_000;
/** Rounding of what tools write: half a pixel, a thousandth of a side; VOC counts pixels from 1. */
const TOLERANCE: Readonly<Record<string, number>> = { yolo: 0.001, coco: 0.5, voc: 1 };

/** One entry of an annotation file with the image it was matched to. */
export interface MatchedEntry {
  readonly kind: AnnotationFileKind;
  /** Path of the annotation file. */
  readonly path: string;
  readonly imagePath: string | null;
  readonly split: Split | null;
  /** Size of the matched image, or as the file claims it. */
  readonly width: number | null;
  readonly height: number | null;
  readonly claimedWidth: number | null;
  readonly claimedHeight: number | null;
  readonly objects: Uint8Array;
}

export class Tally {
  count = 0;
  readonly examples: string[] = [];

  add(example: string): void {
    this.count += 1;
    if (this.examples.length < MAX_EXAMPLES) this.examples.push(example.slice(0, 700));
  }
}

type PerSplit = Record<Split | 'none', number>;

/** Figures over all objects of a dataset, taken up entry by entry. */
export class ObjectStatistics {
  /** Objects in images that are there. */
  objects = 0;
  withoutImage = 0;
  emptyImages = 0;
  readonly classOutOfRange = new Tally();
  readonly outside = new Tally();
  readonly withoutArea = new Tally();
  readonly otherSize = new Tally();
  readonly classes = new Map<string, PerSplit>();
  readonly valueCounts: ValueCounts & Map<number, number> = new Map();
  readonly flags = { polygon: 0, mask: 0, keypoints: 0 };
  readonly bySize = { small: 0, medium: 0, large: 0 };
  readonly byPart: number[] = [...AREA_PARTS, 1].map(() => 0);

  /** @param poseValues numbers of a YOLO line with key points, where the dataset says so */
  constructor(private readonly poseValues: number | null) {}

  /** @param nameOf the class of an id in the entry's file; null for ids that the file or the dataset does not know */
  add(entry: MatchedEntry, nameOf: (classId: number) => string | null): void {
    if (entry.imagePath === null) {
      this.withoutImage += entry.objects.length / OBJECT_BYTES;
      return;
    }
    const before = this.objects;
    const { claimedWidth, claimedHeight, width, height } = entry;
    if (claimedWidth !== null && claimedHeight !== null && (claimedWidth !== width || claimedHeight !== height))
      this.otherSize.add(`${entry.imagePath}: ${width} x ${height}, annotated as ${claimedWidth} x ${claimedHeight}`);
    for (const object of unpackObjects(entry.objects)) this.addObject(entry, object, nameOf(object.classId), this.objects - before + 1);
    if (this.objects === before) this.emptyImages += 1;
  }

  private addObject(entry: MatchedEntry, object: ObjectFacts, name: string | null, nth: number): void {
    this.objects += 1;
    const place = `${entry.imagePath}: object ${nth}`;
    if (name === null) this.classOutOfRange.add(`${place} has class ${object.classId}`);
    else this.countClass(name, entry.split);
    if (entry.kind === 'yolo') this.valueCounts.set(object.values, (this.valueCounts.get(object.values) ?? 0) + 1);
    if ((object.flags & OBJECT_FLAGS.polygon) > 0) this.flags.polygon += 1;
    if ((object.flags & OBJECT_FLAGS.mask) > 0) this.flags.mask += 1;
    if ((object.flags & OBJECT_FLAGS.keypoints) > 0) this.flags.keypoints += 1;
    this.measure(entry, object, place);
  }

  private countClass(name: string, split: Split | null): void {
    let counts = this.classes.get(name);
    if (!counts) {
      if (this.classes.size >= MAX_CLASSES) return;
      counts = { train: 0, val: 0, test: 0, none: 0 };
      this.classes.set(name, counts);
    }
    counts[split ?? 'none'] += 1;
  }

  private measure({ kind, width, height }: MatchedEntry, object: ObjectFacts, place: string): void {
    // A YOLO line of an even count beyond a box is an outline, save with key points; an odd one begins with a box.
    const isOutline = (object.flags & OBJECT_FLAGS.outlineOnly) > 0 && object.values !== this.poseValues;
    const [x, y, w, h]: Box = isOutline ? object.hull : object.box;
    if (!(w > 0 && h > 0)) return this.withoutArea.add(place);
    const isRelative = kind === 'yolo';
    const bounds = isRelative ? [1, 1] : [width, height];
    const slack = TOLERANCE[kind] ?? 0;
    const [right, bottom] = bounds;
    if (x < -slack || y < -slack || (right != null && x + w > right + slack) || (bottom != null && y + h > bottom + slack)) this.outside.add(place);
    if (width === null || height === null) return;
    const pixels = isRelative ? w * width * h * height : w * h;
    this.bySize[pixels < SMALL ? 'small' : pixels < MEDIUM ? 'medium' : 'large'] += 1;
    const part = pixels / (width * height);
    const at = AREA_PARTS.findIndex((end) => part < end);
    const bin = at < 0 ? AREA_PARTS.length : at;
    this.byPart[bin] = (this.byPart[bin] ?? 0) + 1;
  }
}

/** The task that objects of COCO files serve. */
export const cocoTask = ({ polygon, mask, keypoints }: ObjectStatistics['flags']): AnnotationTask =>
  keypoints > 0 ? 'pose' : polygon + mask > 0 ? 'instance_segmentation' : 'detection';
