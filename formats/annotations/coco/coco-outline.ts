import { type Fields, isAbsent } from './coco-fields.js';
import { type Box, OBJECT_FLAGS } from '../annotation.types.js';
import { readMask } from './coco-mask.js';
import { extentOf, isCoordinate } from '../packed-objects.js';

/** Polygons as lists of x, y, ...; masks as run lengths, counted or compressed. @returns what is wrong, as text */
export function outlineOf(value: unknown): { flags: number; hull: Box | null; grid?: Box } | string {
  if (isAbsent(value)) return { flags: 0, hull: null };
  if (Array.isArray(value)) {
    if (value.length === 0) return { flags: 0, hull: null };
    // A single polygon is sometimes written without the list around it.
    const polygons: unknown[] = value.every((one) => typeof one === 'number') ? [value] : value;
    for (const polygon of polygons)
      if (
        !Array.isArray(polygon) ||
        polygon.length < 6 ||
        polygon.length % 2 !== 0 ||
        !polygon.every(isCoordinate)
      )
        return 'has a polygon that is not a list of at least three points';
    return { flags: OBJECT_FLAGS.polygon, hull: extentOf((polygons as number[][]).flat()) };
  }
  const mask = readMask(value as Fields);
  return typeof mask === 'string'
    ? mask
    : { flags: OBJECT_FLAGS.mask, hull: mask.box, grid: [0, 0, mask.width, mask.height] };
}
