import type { AnnotationTask } from '../../../../formats/annotations/annotation-format.js';
import {
  type AnnotationFileKind,
  type Box,
  MAX_OBJECTS_OF_IMAGE,
  OBJECT_FLAGS,
  type ObjectFacts,
  type Split,
} from '../../../../formats/annotations/annotation.types.js';
import { repeatedObjects, unpackObjects } from '../../../../formats/annotations/packed-objects.js';
import { ExampleCounter } from '../../../../formats/annotations/example-counter.js';
import { ImageMarks, type ObjectFinding } from './image-marks.rules.js';
import { type YoloForm, YoloForms } from '../../../../formats/annotations/yolo/yolo-forms.js';

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
  /** Null when the image was deleted a moment ago. */
  readonly imagePath: string | null;
  readonly split: Split | null;
  /** Size of the matched image upright, or as the file claims it. */
  readonly width: number | null;
  readonly height: number | null;
  /** The image is stored lying: tools that pass over its orientation annotate it of width and height changed. */
  readonly isTurned: boolean;
  readonly claimedWidth: number | null;
  readonly claimedHeight: number | null;
  readonly objects: Uint8Array;
}

type PerSplit = Record<Split | 'none', number>;
interface ClassCounts {
  readonly bySplit: PerSplit;
  /** By what the objects give: the one form of a YOLO line; of others a box and, where they have them, an outline and key points. */
  readonly byForm: Partial<Record<YoloForm, number>>;
}
/** The class of an id in an entry's file; null for ids that the file or the dataset does not know. */
export type NameOf = (classId: number) => string | null;

/** What the entries of one image have said so far. */
interface ImageAtHand {
  readonly path: string;
  readonly first: { readonly objects: Uint8Array; readonly nameOf: NameOf };
  /** Flags of its objects by class and box; null while it has one entry. */
  seen: Map<string, number> | null;
  hasOtherSize: boolean;
}

/** What an object is known by that several files of an image repeat. */
export const identity = ({ classId, box }: ObjectFacts, nameOf: NameOf): string =>
  `${box.join()} ${nameOf(classId) ?? `\n${classId}`}`;

/**
 * Figures over all objects of a dataset, taken up image by image. COCO files may share images: an image counts once, and so
 * does an object that another file repeats with the same class and box (instances, key points).
 */
export class ObjectStatistics {
  /** Objects in images that are there. */
  objects = 0;
  readonly classOutOfRange = new ExampleCounter();
  readonly outside = new ExampleCounter();
  readonly withoutArea = new ExampleCounter();
  readonly otherSize = new ExampleCounter();
  /** Objects written more than once in their file. */
  readonly repeated = new ExampleCounter();
  readonly classes = new Map<string, ClassCounts>();
  /** How YOLO lines are written. */
  readonly forms: YoloForms;
  readonly flags = { polygon: 0, mask: 0, keypoints: 0 };
  readonly bySize = { small: 0, medium: 0, large: 0 };
  readonly byPart: number[] = [...AREA_PARTS, 1].map(() => 0);
  /** What is to be written beside each image. */
  readonly marks = new ImageMarks();
  private image: ImageAtHand | null = null;

  /**
   * @param poseValues numbers of a YOLO line with key points, where the dataset says so
   * @param declared classes that count with no object too
   */
  constructor(
    private readonly poseValues: number | null,
    declared: Iterable<string> = [],
  ) {
    this.forms = new YoloForms(poseValues);
    for (const name of declared) this.countsOf(name);
  }

  /** Entries of one image come one after the other. */
  add(matched: MatchedEntry, nameOf: NameOf): void {
    const entry = asAnnotated(matched);
    if (entry.imagePath === null) return;
    const isAgain = this.image?.path === entry.imagePath;
    if (!isAgain) this.marks.begin(entry.imagePath);
    if (!this.image || !isAgain)
      this.image = {
        path: entry.imagePath,
        first: { objects: entry.objects, nameOf },
        seen: null,
        hasOtherSize: false,
      };
    const { image } = this;
    this.compareSize(entry, image);
    if (isAgain) image.seen ??= flagsOf(image.first);
    for (const nth of repeatedObjects(entry.objects)) {
      this.find('annotations.repeated_objects', this.repeated, `${entry.imagePath}: object ${nth}`);
    }
    const { seen } = image;
    const fresh: Array<[string, number]> = [];
    let nth = 0;
    for (const object of unpackObjects(entry.objects)) {
      nth += 1;
      if (seen !== null) {
        const key = identity(object, nameOf);
        const flags = seen.get(key);
        if (flags !== undefined) {
          this.countFlags(object.flags & ~flags);
          this.countForms(nameOf(object.classId), formsOf(object.flags), formsOf(flags));
          seen.set(key, flags | object.flags);
          continue;
        }
        fresh.push([key, object.flags]);
      }
      this.addObject(entry, object, nameOf(object.classId), nth);
    }
    for (const [key, flags] of fresh)
      if (seen !== null && seen.size < MAX_OBJECTS_OF_IMAGE) seen.set(key, flags);
  }

  private compareSize(
    { imagePath, claimedWidth, claimedHeight, width, height }: MatchedEntry,
    image: ImageAtHand,
  ): void {
    if (
      image.hasOtherSize ||
      claimedWidth === null ||
      claimedHeight === null ||
      (claimedWidth === width && claimedHeight === height)
    )
      return;
    image.hasOtherSize = true;
    const sizes = `${width} x ${height}, annotated as ${claimedWidth} x ${claimedHeight}`;
    this.find('annotations.image_size_mismatch', this.otherSize, `${imagePath}: ${sizes}`);
  }

  /** Counts it with its place, and marks the image at hand. */
  private find(finding: ObjectFinding, counter: ExampleCounter, place: string): void {
    counter.add(place);
    this.marks.addFinding(finding);
  }

  private countFlags(flags: number): void {
    if ((flags & OBJECT_FLAGS.polygon) > 0) this.flags.polygon += 1;
    if ((flags & OBJECT_FLAGS.mask) > 0) this.flags.mask += 1;
    if ((flags & OBJECT_FLAGS.keypoints) > 0) this.flags.keypoints += 1;
  }

  private addObject(entry: MatchedEntry, object: ObjectFacts, name: string | null, nth: number): void {
    this.objects += 1;
    const place = `${entry.imagePath}: object ${nth}`;
    if (name === null) {
      const what = `${place} has class ${object.classId}`;
      this.find('annotations.class_out_of_range', this.classOutOfRange, what);
    } else this.countClass(name, entry.split);
    this.countForms(
      name,
      entry.kind === 'yolo' ? [this.forms.formOf(object.values)] : ['box', ...formsOf(object.flags)],
    );
    this.countFlags(object.flags);
    if (entry.kind === 'yolo') this.forms.add(object.values, `${entry.path}: object ${nth}`);
    this.measure(entry, object, place);
  }

  private countClass(name: string, split: Split | null): void {
    this.marks.addClass(name);
    const counts = this.countsOf(name);
    if (counts) counts.bySplit[split ?? 'none'] += 1;
  }

  /** @param known forms that the object was counted with already */
  private countForms(name: string | null, forms: readonly YoloForm[], known: readonly YoloForm[] = []): void {
    const byForm = name === null ? undefined : this.classes.get(name)?.byForm;
    if (byForm) for (const form of forms) if (!known.includes(form)) byForm[form] = (byForm[form] ?? 0) + 1;
  }

  /** Null for those beyond what is kept. */
  private countsOf(name: string): ClassCounts | null {
    const known = this.classes.get(name);
    if (known) return known;
    if (this.classes.size >= MAX_CLASSES) return null;
    const counts = { bySplit: { train: 0, val: 0, test: 0, none: 0 }, byForm: {} };
    this.classes.set(name, counts);
    return counts;
  }

  private measure({ kind, width, height }: MatchedEntry, object: ObjectFacts, place: string): void {
    // A YOLO line of an even count beyond a box is an outline, save with key points; an odd one begins with a box.
    const isOutline = (object.flags & OBJECT_FLAGS.outlineOnly) > 0 && object.values !== this.poseValues;
    const [x, y, w, h]: Box = isOutline ? object.hull : object.box;
    if (!(w > 0 && h > 0)) return this.find('annotations.boxes_without_area', this.withoutArea, place);
    const isRelative = kind === 'yolo';
    const bounds = isRelative ? [1, 1] : [width, height];
    const slack = TOLERANCE[kind] ?? 0;
    const [right, bottom] = bounds;
    if (
      x < -slack ||
      y < -slack ||
      (right != null && x + w > right + slack) ||
      (bottom != null && y + h > bottom + slack)
    )
      this.find('annotations.boxes_outside_image', this.outside, place);
    if (width === null || height === null) return;
    const pixels = isRelative ? w * width * h * height : w * h;
    this.bySize[pixels < SMALL ? 'small' : pixels < MEDIUM ? 'medium' : 'large'] += 1;
    const part = pixels / (width * height);
    const at = AREA_PARTS.findIndex((end) => part < end);
    const bin = at < 0 ? AREA_PARTS.length : at;
    this.byPart[bin] = (this.byPart[bin] ?? 0) + 1;
  }
}

/** An image that is stored lying has the size that its annotation states, upright or as stored: so its boxes are meant. */
function asAnnotated(entry: MatchedEntry): MatchedEntry {
  const { isTurned, width, height, claimedWidth, claimedHeight } = entry;
  return isTurned && claimedWidth === height && claimedHeight === width
    ? { ...entry, width: claimedWidth, height: claimedHeight }
    : entry;
}

/** What the objects of COCO files have beside their boxes. */
function formsOf(flags: number): YoloForm[] {
  const forms: YoloForm[] = (flags & (OBJECT_FLAGS.polygon | OBJECT_FLAGS.mask)) > 0 ? ['outline'] : [];
  return (flags & OBJECT_FLAGS.keypoints) > 0 ? [...forms, 'keypoints'] : forms;
}

function flagsOf({ objects, nameOf }: ImageAtHand['first']): Map<string, number> {
  const flags = new Map<string, number>();
  for (const object of unpackObjects(objects)) {
    const key = identity(object, nameOf);
    flags.set(key, (flags.get(key) ?? 0) | object.flags);
  }
  return flags;
}

/** The task that objects of COCO files serve. */
export const cocoTask = ({ polygon, mask, keypoints }: ObjectStatistics['flags']): AnnotationTask =>
  keypoints > 0 ? 'pose' : polygon + mask > 0 ? 'instance_segmentation' : 'detection';
