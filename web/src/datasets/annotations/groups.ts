import type { DatasetFile } from '../queries';

/** Files that one question may name. */
const MOST = 100;

const NONE: readonly string[] = [];
const known = new WeakMap<readonly DatasetFile[], ReadonlyArray<readonly string[]>>();

/** Ids of the files of a page that are asked about together with the one at this place; the same list for each of them. */
export function groupOf(page: readonly DatasetFile[], at: number): readonly string[] {
  const groups = known.get(page) ?? grouped(page.map(({ id }) => id));
  known.set(page, groups);
  return groups[Math.floor(at / MOST)] ?? NONE;
}

const grouped = (ids: readonly string[]): ReadonlyArray<readonly string[]> =>
  Array.from({ length: Math.ceil(ids.length / MOST) }, (_, at) => ids.slice(at * MOST, (at + 1) * MOST));
