import type { Box } from '../annotation.types.js';
import { isSide } from './coco-mask.js';
import { isCoordinate } from '../packed-objects.js';

export type Id = number | string;
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isId = (value: unknown): value is Id =>
  (typeof value === 'number' && Number.isSafeInteger(value)) ||
  (typeof value === 'string' && value.length <= 100);
export const sizeOf = (value: unknown): number | null => (isSide(value) ? value : null);

export const boxOf = (value: unknown): Box | null =>
  Array.isArray(value) && value.length === 4 && value.every(isCoordinate) ? (value as unknown as Box) : null;

/** LVIS names its images by the place they came from alone; the file is the last part of its path. */
export const fileOfUrl = (url: unknown): string | null =>
  typeof url === 'string' ? (/\/([^/?#]+)(?:[?#]|$)/.exec(url)?.[1] ?? null) : null;

/** Tools that write every key give null to what an object has not. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

export interface NamedImage {
  readonly name: string;
  readonly width: number | null;
  readonly height: number | null;
}

/** Numbers of the objects, image by image. `starts[i]` is where those of image i begin. */
export interface ObjectPlaces {
  readonly order: Int32Array;
  readonly starts: Int32Array;
}

/** A counting sort. @param image of an object; -1 where it is not listed */
export function sortedByImage(objects: number, images: number, image: (at: number) => number): ObjectPlaces {
  const starts = new Int32Array(images + 1);
  for (let at = 0; at < objects; at += 1)
    if (image(at) >= 0) starts[image(at) + 1] = (starts[image(at) + 1] as number) + 1;
  for (let at = 0; at < images; at += 1) starts[at + 1] = (starts[at + 1] as number) + (starts[at] as number);
  const next = starts.slice();
  const order = new Int32Array(starts[images] as number);
  for (let at = 0; at < objects; at += 1) {
    const of = image(at);
    if (of < 0) continue;
    order[next[of] as number] = at;
    next[of] = (next[of] as number) + 1;
  }
  return { order, starts };
}
