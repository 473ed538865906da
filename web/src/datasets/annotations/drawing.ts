import { type Drawing, type Drawn, NO_OUTLINE, type Outline } from './drawn.types';
import type { StoredImage } from './stored-objects';

type StoredSource = StoredImage['sources'][number];

/** Whether the rows do not hold all of it. */
export const hasOutlines = ({ objects }: StoredImage): boolean =>
  objects.some((object) => object.has_outline || object.has_keypoints);

const CORNERS = 4;

/**
 * Boxes as they are stored, with what was read of the files.
 * @param outlines by place of the object; null: not read
 * @param areTurned whether four corners are a box of the dataset's task
 */
export function drawingOf(
  image: StoredImage,
  outlines: ReadonlyMap<number, Outline> | null,
  areTurned = false,
): Drawing {
  const { width, height, objects } = image;
  const drawn = objects.map(({ label, box, crowd }, at): Drawn => {
    const outline = outlines?.get(at) ?? NO_OUTLINE;
    const [corners, ...others] = outline.polygons;
    return {
      ...outline,
      label,
      box: box as unknown as Drawn['box'],
      isCrowd: crowd,
      isTurned: areTurned && corners?.length === 2 * CORNERS && others.length === 0,
    };
  });
  return {
    objects: drawn,
    total: image.object_count,
    size: width === null || height === null ? null : { width, height },
    isWhole: objects.every((object, at) => isWhole(object, drawn[at] as Drawn)),
  };
}

const isWhole = (stored: StoredImage['objects'][number], drawn: Drawn): boolean =>
  (!stored.has_outline || drawn.polygons.length > 0 || drawn.mask !== null) &&
  (!stored.has_keypoints || drawn.points.length > 0);

/** Brings what the entries of several files have to the objects that they speak of. */
export function byObject(
  read: ReadonlyArray<readonly [source: StoredSource, outlines: readonly Outline[]]>,
): Map<number, Outline> {
  const found = new Map<number, Outline>();
  for (const [{ objects }, outlines] of read) {
    // A file that is not what the validation read.
    if (outlines.length < objects.length) continue;
    for (const [nth, at] of objects.entries()) {
      const outline = outlines[nth];
      if (at !== null && outline !== undefined) found.set(at, joined(found.get(at) ?? NO_OUTLINE, outline));
    }
  }
  return found;
}

/** One file may have the outline of an object, another its key points. */
const joined = (known: Outline, other: Outline): Outline => ({
  ...(known.polygons.length > 0 || known.mask !== null ? known : other),
  ...(known.points.length > 0
    ? { points: known.points, skeleton: known.skeleton }
    : { points: other.points, skeleton: other.skeleton }),
});
