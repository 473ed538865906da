import { closestName } from '../text/closest-name.js';
import { type FieldError, fieldError } from './app-error.js';

/** What is said of a key that nobody knows. */
export function unknownKey(key: string, known: readonly string[]): string {
  const near = closestName(key, known);
  return near === null ? 'is not a known key' : `is not a known key; did you mean ${JSON.stringify(near)}?`;
}

/**
 * Unknown keys of an object, each with the nearest known one.
 * @param place of the object @param most how many are named: each is compared with every known key
 */
export const unknownKeys = (
  given: object,
  known: readonly string[],
  place: ReadonlyArray<string | number>,
  most: number,
): FieldError[] =>
  Object.keys(given)
    .filter((key) => !known.includes(key))
    .slice(0, Math.max(0, most))
    .map((key) => fieldError([...place, key], unknownKey(key, known), 'extra_forbidden'));
