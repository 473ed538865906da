import { type Fields, isAbsent } from './coco-fields.js';
import { type Box, OBJECT_FLAGS } from '../annotation.types.js';
import { readMask } from './coco-mask.js';
import { extentOf, isCoordinate } from '../packed-objects.js';

interface OutlineFacts {
  readonly flags: number;
  readonly hull: Box | null;
  readonly grid?: Box;
  /** It has polygons that enclose nothing and are no part of it. */
  readonly isThinned?: boolean;
}

const NONE: OutlineFacts = { flags: 0, hull: null };
/** Numbers of three points. */
const LEAST_NUMBERS = 6;

/** Polygons as lists of x, y, ...; masks as run lengths, counted or compressed. @returns what is wrong, as text */
export function outlineOf(value: unknown): OutlineFacts | string {
  if (isAbsent(value)) return NONE;
  if (Array.isArray(value)) return polygonsOf(value);
  const mask = readMask(value as Fields);
  return typeof mask === 'string'
    ? mask
    : { flags: OBJECT_FLAGS.mask, hull: mask.box, grid: [0, 0, mask.width, mask.height] };
}

function polygonsOf(list: readonly unknown[]): OutlineFacts | string {
  if (list.length === 0) return NONE;
  // A single polygon is sometimes written without the list around it.
  const polygons = list.every((one) => typeof one === 'number') ? [list] : list;
  if (!polygons.every(isPolygon)) return 'has a polygon that is not a list of points, x and y in turn';
  // Training leaves the same ones out.
  const used = polygons.filter((polygon) => polygon.length >= LEAST_NUMBERS);
  const isThinned = used.length < polygons.length;
  return used.length === 0
    ? { ...NONE, isThinned }
    : { flags: OBJECT_FLAGS.polygon, hull: extentOf(used.flat()), isThinned };
}

const isPolygon = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.length % 2 === 0 && value.every(isCoordinate);
