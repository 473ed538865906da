import {
  type NamedImage,
  type ObjectPlaces,
  boxOf,
  type Fields,
  fileOfUrl,
  type Id,
  isAbsent,
  isFields,
  isId,
  sizeOf,
  sortedByImage,
} from './coco-fields.js';
import { outlineOf } from './coco-outline.js';
import {
  type AnnotationClass,
  type AnnotationEntry,
  type AnnotationFacts,
  type AnnotationReading,
  MAX_CLASSES,
  MAX_OBJECTS_OF_IMAGE,
  OBJECT_FLAGS,
  type ObjectFacts,
} from '../annotation.types.js';
import {
  cleanClassName,
  referencedPath,
  refsOfNamed,
  splitExtension,
  splitOf,
  splitOfFile,
} from '../image-reference.js';
import { JsonElements, JsonRefusal } from '../../json/json-elements.js';
import { type FormatNote, PANOPTIC, PANOPTIC_WITHOUT_BOXES, THIN_POLYGONS } from '../unread-formats.js';
import { isCoordinate, maskSizeAt, OBJECT_BYTES, packObject } from '../packed-objects.js';

const MAX_IMAGES = 1_000_000;
const MAX_OBJECTS = 3_000_000;
/** Limit of image names and of ids that are text, all of one file together. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;
const WANTED = new Set(['images', 'annotations', 'categories']);
const GROWTH_FROM = 1024;

/** Reads a COCO file while its bytes arrive, in whatever order its lists stand; what it keeps of an object is 44 bytes. */
export class CocoReader {
  private readonly places = new Map<Id, number>();
  private readonly images: NamedImage[] = [];
  private readonly classes = new Map<number, string>();
  private readonly json = new JsonElements(WANTED, (key, element) => this.take(key, element));
  /** Image of each object as a number of `imageIds`: objects may stand before the images they are of. */
  private owners = new Int32Array(GROWTH_FROM);
  private packed = new DataView(new ArrayBuffer(GROWTH_FROM * OBJECT_BYTES));
  private count = 0;
  private readonly imageIds = new Map<Id, number>();
  private problem: string | null = null;
  private textBytes = 0;
  /** Segments of panoptic files by whether they have a box. */
  private readonly segments = { boxed: 0, bare: 0 };
  private hasThinPolygons = false;

  push(chunk: Uint8Array): void {
    if (this.problem === null) this.tried(() => this.json.push(chunk));
  }

  /** False as soon as the file is known to be unreadable: the rest need not be read. */
  get isReadable(): boolean {
    return this.problem === null;
  }

  /** True for a JSON list, of which nothing is read: it is not COCO, but may be annotations of another tool. */
  get isList(): boolean {
    return this.json.isList;
  }

  /** Null when the JSON is whole but no COCO file, and for a list. @param path of the file in its dataset */
  end(path: string): AnnotationReading | null {
    if (this.isList) return null;
    if (this.problem === null) this.tried(() => this.json.end());
    if (this.problem !== null) return { facts: null, problem: this.problem };
    const { arrays } = this.json;
    if (!arrays.has('images') || !(arrays.has('annotations') || arrays.has('categories'))) return null;
    const places = this.byImage();
    const crowded = this.images.findIndex(
      (_, at) => (places.starts[at + 1] as number) - (places.starts[at] as number) > MAX_OBJECTS_OF_IMAGE,
    );
    if (crowded >= 0)
      return {
        facts: null,
        problem: `image ${crowded + 1} of its list has more than ${MAX_OBJECTS_OF_IMAGE} annotations`,
      };
    const problem = this.maskProblem(places);
    if (problem !== null) return { facts: null, problem };
    const note = this.formatNote();
    return { facts: this.facts(path, places), problem, ...(note && { note: note.reason }) };
  }

  private formatNote(): FormatNote | null {
    if (this.segments.boxed > 0) return PANOPTIC;
    if (this.segments.bare > 0) return PANOPTIC_WITHOUT_BOXES;
    return this.hasThinPolygons ? THIN_POLYGONS : null;
  }

  private tried(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof JsonRefusal)) throw error;
      this.problem = error.message;
    }
  }

  private take(key: string, element: unknown): void {
    if (!isFields(element)) throw new JsonRefusal(`its list ${key} holds something that is no object`);
    if (key === 'images') this.takeImage(element);
    else if (key === 'categories') this.takeClass(element);
    else this.takeObject(element);
  }

  private takeImage({ id, file_name: named, coco_url: url, width, height }: Fields): void {
    const name = isAbsent(named) ? fileOfUrl(url) : named;
    if (Number.isInteger(id) && !Number.isSafeInteger(id))
      throw new JsonRefusal(
        `image ${this.images.length + 1} of its list has an id beyond 2^53 - 1; write it as text`,
      );
    if (!isId(id) || typeof name !== 'string' || name === '')
      throw new JsonRefusal(`image ${this.images.length + 1} of its list has no id or no file_name`);
    if (this.places.has(id))
      throw new JsonRefusal(`two of its images have the id ${String(id).slice(0, 40)}`);
    if (this.images.length >= MAX_IMAGES)
      throw new JsonRefusal(`it lists more than ${MAX_IMAGES} images; part it`);
    const path = referencedPath(name);
    this.holdText(path);
    this.holdText(id);
    this.places.set(id, this.images.length);
    this.images.push({ name: path, width: sizeOf(width), height: sizeOf(height) });
  }

  private takeClass({ id, name }: Fields): void {
    if (
      typeof id !== 'number' ||
      !Number.isInteger(id) ||
      Math.abs(id) > 0x7fffffff ||
      typeof name !== 'string' ||
      name === ''
    )
      throw new JsonRefusal('one of its categories has no whole number as id or no name');
    const clean = cleanClassName(name);
    if ((this.classes.get(id) ?? clean) !== clean)
      throw new JsonRefusal(
        `two of its categories have the id ${id} and different names; give each its own id`,
      );
    if (this.classes.size >= MAX_CLASSES && !this.classes.has(id))
      throw new JsonRefusal(`it lists more than ${MAX_CLASSES} categories`);
    this.classes.set(id, clean);
  }

  private takeObject(fields: Fields): void {
    const nth = `annotation ${this.count + 1} of its list`;
    const {
      image_id: imageId,
      category_id: classId,
      bbox,
      segmentation,
      keypoints,
      iscrowd,
      segments_info: segments,
    } = fields;
    if (!isId(imageId)) throw new JsonRefusal(`${nth} has no image_id`);
    if (Array.isArray(segments)) for (const segment of segments) this.takeSegment(imageId, segment);
    // Captions and the like describe an image without an object in it.
    if (isAbsent(bbox) && isAbsent(segmentation) && isAbsent(keypoints)) return;
    if (typeof classId !== 'number' || !Number.isInteger(classId) || Math.abs(classId) > 0x7fffffff)
      throw new JsonRefusal(`${nth} has no whole number as category_id`);
    const outline = outlineOf(segmentation);
    if (typeof outline === 'string') throw new JsonRefusal(`${nth} ${outline}`);
    this.hasThinPolygons ||= outline.isThinned === true;
    const box = isAbsent(bbox) || (Array.isArray(bbox) && bbox.length === 0) ? outline.hull : boxOf(bbox);
    if (box === null) throw new JsonRefusal(`${nth} has no bbox of four finite numbers`);
    if (
      !isAbsent(keypoints) &&
      !(Array.isArray(keypoints) && keypoints.length % 3 === 0 && keypoints.every(isCoordinate))
    )
      throw new JsonRefusal(`${nth} has keypoints that are not triples of finite numbers`);
    const hasPoints = Array.isArray(keypoints) && keypoints.length > 0;
    const flags =
      outline.flags | (hasPoints ? OBJECT_FLAGS.keypoints : 0) | (iscrowd === 1 ? OBJECT_FLAGS.crowd : 0);
    this.keep(imageId, { classId, flags, values: 0, box, hull: outline.grid ?? outline.hull ?? box });
  }

  /** One of a panoptic annotation, whose mask is a picture of its own. */
  private takeSegment(imageId: Id, segment: unknown): void {
    const { category_id: classId, bbox, iscrowd } = isFields(segment) ? segment : {};
    const box = boxOf(bbox);
    const isWhole =
      box !== null &&
      typeof classId === 'number' &&
      Number.isInteger(classId) &&
      Math.abs(classId) <= 0x7fffffff;
    this.segments[isWhole ? 'boxed' : 'bare'] += 1;
    if (isWhole)
      this.keep(imageId, {
        classId,
        flags: iscrowd === 1 ? OBJECT_FLAGS.crowd : 0,
        values: 0,
        box,
        hull: box,
      });
  }

  private keep(imageId: Id, object: ObjectFacts): void {
    if (this.count >= MAX_OBJECTS)
      throw new JsonRefusal(`it lists more than ${MAX_OBJECTS} annotations; part it`);
    if (this.count === this.owners.length) this.grow();
    let owner = this.imageIds.get(imageId);
    if (owner === undefined) {
      owner = this.imageIds.size;
      this.holdText(imageId);
      this.imageIds.set(imageId, owner);
    }
    this.owners[this.count] = owner;
    packObject(this.packed, this.count * OBJECT_BYTES, object);
    this.count += 1;
  }

  private holdText(text: Id): void {
    if (typeof text !== 'string') return;
    this.textBytes += Buffer.byteLength(text);
    if (this.textBytes > MAX_TEXT_BYTES)
      throw new JsonRefusal(
        `its image names and ids take more than ${MAX_TEXT_BYTES} bytes together; part it`,
      );
  }

  private grow(): void {
    const owners = new Int32Array(this.owners.length * 2);
    owners.set(this.owners);
    const packed = new Uint8Array(this.packed.byteLength * 2);
    packed.set(new Uint8Array(this.packed.buffer));
    this.owners = owners;
    this.packed = new DataView(packed.buffer);
  }

  private facts(path: string, { order, starts }: ObjectPlaces): AnnotationFacts {
    const classes: AnnotationClass[] = [...this.classes].map(([id, name]) => ({ id, name }));
    return {
      kind: 'coco',
      classes,
      keypointShape: null,
      imageCount: this.images.length,
      objectCount: this.count,
      orphanCount: this.count - order.length,
      entries: this.entries(path, order, starts),
    };
  }

  private byImage(): ObjectPlaces {
    const imageOf = new Int32Array(this.imageIds.size).fill(-1);
    for (const [id, owner] of this.imageIds) imageOf[owner] = this.places.get(id) ?? -1;
    const image = (at: number): number => imageOf[this.owners[at] as number] as number;
    return sortedByImage(this.count, this.images.length, image);
  }

  /** What is wrong with a mask of another size than its image declares. Images may stand behind the objects, so this waits for the end. */
  private maskProblem({ order, starts }: ObjectPlaces): string | null {
    for (const [at, { width, height }] of this.images.entries()) {
      for (const object of order.subarray(starts[at], starts[at + 1])) {
        const mask = maskSizeAt(this.packed, object * OBJECT_BYTES);
        if (mask === null || (mask[0] === (width ?? mask[0]) && mask[1] === (height ?? mask[1]))) continue;
        return `annotation ${object + 1} of its list has a mask of ${mask.join(' x ')} pixels, its image ${width ?? '?'} x ${height ?? '?'}`;
      }
    }
    return null;
  }

  private *entries(path: string, order: Int32Array, starts: Int32Array): Generator<AnnotationEntry> {
    const ofFile = splitOfFile(path);
    const packed = new Uint8Array(this.packed.buffer);
    for (const [at, { name, width, height }] of this.images.entries()) {
      const own = order.subarray(starts[at], starts[at + 1]);
      const objects = new Uint8Array(own.length * OBJECT_BYTES);
      for (const [place, object] of own.entries())
        objects.set(
          packed.subarray(object * OBJECT_BYTES, (object + 1) * OBJECT_BYTES),
          place * OBJECT_BYTES,
        );
      const { base, extension } = splitExtension(name);
      yield {
        refs: refsOfNamed(path, name),
        name: base,
        extension,
        split: splitOf(name) ?? ofFile,
        width,
        height,
        objects,
      };
    }
  }
}
