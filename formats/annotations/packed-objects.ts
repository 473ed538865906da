import { type Box, OBJECT_FLAGS, type ObjectFacts } from './annotation.types.js';

/** Class (int32), flags and values (uint16 each), box and hull (four float32 each), little-endian. */
export const OBJECT_BYTES = 40;

/** Objects as they are stored, 40 bytes each. */
export function packObjects(objects: readonly ObjectFacts[]): Uint8Array {
  const bytes = new Uint8Array(objects.length * OBJECT_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [at, object] of objects.entries()) packObject(view, at * OBJECT_BYTES, object);
  return bytes;
}

export function packObject(
  view: DataView,
  at: number,
  { classId, flags, values, box, hull }: ObjectFacts,
): void {
  view.setInt32(at, classId, true);
  view.setUint16(at + 4, flags, true);
  view.setUint16(at + 6, Math.min(values, 0xffff), true);
  for (let i = 0; i < 4; i += 1) {
    view.setFloat32(at + 8 + 4 * i, box[i] as number, true);
    view.setFloat32(at + 24 + 4 * i, hull[i] as number, true);
  }
}

export function* unpackObjects(bytes: Uint8Array): Generator<ObjectFacts> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const box = (at: number): Box => [
    view.getFloat32(at, true),
    view.getFloat32(at + 4, true),
    view.getFloat32(at + 8, true),
    view.getFloat32(at + 12, true),
  ];
  for (let at = 0; at + OBJECT_BYTES <= bytes.length; at += OBJECT_BYTES)
    yield {
      classId: view.getInt32(at, true),
      flags: view.getUint16(at + 4, true),
      values: view.getUint16(at + 6, true),
      box: box(at + 8),
      hull: box(at + 24),
    };
}

/** Width and height that the mask of the object packed here has; null where it has none. */
export function maskSizeAt(view: DataView, at: number): readonly [number, number] | null {
  return (view.getUint16(at + 4, true) & OBJECT_FLAGS.mask) > 0
    ? [view.getFloat32(at + 32, true), view.getFloat32(at + 36, true)]
    : null;
}

/**
 * Numbers, from 1 on, of objects that stand before with the same class, box, outline and flags.
 * @param bytes see `packObjects`
 */
export function repeatedObjects(bytes: Uint8Array): number[] {
  if (bytes.length <= OBJECT_BYTES) return [];
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const seen = new Set<string>();
  const repeated: number[] = [];
  for (let at = 0; at < buffer.length; at += OBJECT_BYTES) {
    const key = buffer.toString('latin1', at, at + OBJECT_BYTES);
    if (seen.has(key)) repeated.push(at / OBJECT_BYTES + 1);
    else seen.add(key);
  }
  return repeated;
}

/** The extent of points given as x, y, x, y, ... */
export function extentOf(points: readonly number[]): Box {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at + 1 < points.length; at += 2) {
    const [x, y] = [points[at] as number, points[at + 1] as number];
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return points.length < 2 ? [0, 0, 0, 0] : [left, top, right - left, bottom - top];
}

/** Beyond this a number is no place in an image, and its square would not be one either. */
const MAX_COORDINATE = 1e9;
export const isCoordinate = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) <= MAX_COORDINATE;
