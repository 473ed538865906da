import { type Drawing, type Drawn, plainObject } from './drawn.types';
import { runMask } from '../../shared/run-mask';

interface CocoImage {
  readonly id?: unknown;
  readonly file_name?: unknown;
  readonly width?: unknown;
  readonly height?: unknown;
}
interface CocoCategory {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly skeleton?: unknown;
}
interface CocoObject {
  readonly image_id?: unknown;
  readonly category_id?: unknown;
  readonly bbox?: unknown;
  readonly segmentation?: unknown;
  readonly keypoints?: unknown;
  readonly iscrowd?: unknown;
}

interface Entry {
  readonly name: string;
  readonly folder: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly categories: ReadonlyMap<unknown, CocoCategory>;
  readonly objects: CocoObject[];
}

/** Objects of COCO files by the picture that they speak of. */
export class CocoIndex {
  private readonly byName = new Map<string, Entry[]>();

  /** @param path of the annotation file within the dataset */
  add(path: string, root: unknown): void {
    if (typeof root !== 'object' || root === null) return;
    const { images, annotations, categories } = root as Record<string, unknown>;
    const names = new Map(listOf<CocoCategory>(categories).map((one) => [one.id, one]));
    const byId = new Map<unknown, Entry>();
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    for (const image of listOf<CocoImage>(images)) {
      if (typeof image.file_name !== 'string') continue;
      const name = plainPath(image.file_name);
      const entry: Entry = {
        name,
        folder,
        width: sideOf(image.width),
        height: sideOf(image.height),
        categories: names,
        objects: [],
      };
      byId.set(image.id, entry);
      const last = lastPart(name);
      const known = this.byName.get(last);
      if (known) known.push(entry);
      else this.byName.set(last, [entry]);
    }
    for (const object of listOf<CocoObject>(annotations)) byId.get(object.image_id)?.objects.push(object);
  }

  /** What is drawn over a picture; null where no file speaks of it. @param path of the picture within the dataset */
  find(path: string): Drawing | null {
    const entries = this.entriesOf(path);
    const [first] = entries;
    if (!first) return null;
    const seen = new Set<string>();
    const objects = entries.flatMap((entry) => entry.objects.map((object) => drawnOf(object, entry)));
    return {
      // Several files may speak of the same objects: boxes in one, key points in the other.
      objects: objects.filter((object) => isNew(object, objects, seen)),
      width: first.width,
      height: first.height,
      isWhole: true,
    };
  }

  private entriesOf(path: string): Entry[] {
    const alike = this.byName.get(lastPart(path)) ?? [];
    const exact = alike.filter(({ folder, name }) => path === name || path === joinedPath(folder, name));
    if (exact.length > 0) return exact;
    const ending = alike.filter(({ name }) => `/${path}`.endsWith(`/${name}`));
    return ending.length > 0 ? ending : alike.length === 1 ? alike : [];
  }
}

/** An object that only repeats class and box of another, and adds nothing, is left out. */
function isNew(object: Drawn, all: readonly Drawn[], seen: Set<string>): boolean {
  const key = `${object.label} ${object.box?.join(' ')}`;
  const isBare = object.polygons.length === 0 && object.mask === null && object.points.length === 0;
  if (!isBare) return true;
  if (seen.has(key)) return false;
  seen.add(key);
  return !all.some(
    (other) =>
      other !== object &&
      (other.polygons.length > 0 || other.mask !== null || other.points.length > 0) &&
      `${other.label} ${other.box?.join(' ')}` === key,
  );
}

function drawnOf(object: CocoObject, { categories }: Entry): Drawn {
  const category = categories.get(object.category_id);
  const box = numbersOf(object.bbox);
  const [x = 0, y = 0, width = 0, height = 0] = box;
  const points = pointsOf(object.keypoints);
  return {
    ...plainObject(nameOf(category), box.length === 4 ? [x, y, x + width, y + height] : null),
    ...outlineOf(object.segmentation),
    points,
    skeleton: points.length === 0 ? [] : skeletonOf(category?.skeleton),
    isCrowd: object.iscrowd === 1 || object.iscrowd === true,
  };
}

function outlineOf(value: unknown): Pick<Drawn, 'polygons' | 'mask'> {
  if (Array.isArray(value)) {
    const lists: unknown[] = value.every((one) => typeof one === 'number') ? [value] : value;
    return { polygons: lists.map(numbersOf).filter((list) => list.length >= 6), mask: null };
  }
  if (typeof value !== 'object' || value === null) return { polygons: [], mask: null };
  const { size, counts } = value as Record<string, unknown>;
  return { polygons: [], mask: runMask(size, counts) };
}

function pointsOf(value: unknown): Drawn['points'] {
  const numbers = numbersOf(value);
  const points: Array<readonly [number, number, boolean] | null> = [];
  for (let at = 0; at + 2 < numbers.length; at += 3) {
    const [x = 0, y = 0, seen = 0] = numbers.slice(at, at + 3);
    points.push(seen > 0 ? [x, y, seen > 1] : null);
  }
  return points;
}

/** COCO counts the points of a skeleton from 1. */
const skeletonOf = (value: unknown): Drawn['skeleton'] =>
  listOf<unknown>(value).flatMap((pair) => {
    const [from, to] = numbersOf(pair);
    return from === undefined || to === undefined ? [] : [[from - 1, to - 1] as const];
  });

const listOf = <T>(value: unknown): T[] => (Array.isArray(value) ? (value as T[]) : []);
const numbersOf = (value: unknown): number[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'number' && Number.isFinite(one))
    ? (value as number[])
    : [];
const sideOf = (value: unknown): number | null => (typeof value === 'number' && value > 0 ? value : null);
const nameOf = (category: CocoCategory | undefined): string | null =>
  typeof category?.name === 'string' ? category.name : null;
const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const joinedPath = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);
const plainPath = (name: string): string =>
  name
    .normalize('NFC')
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .join('/');
