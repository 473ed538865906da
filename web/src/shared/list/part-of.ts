import { type ListSearch, PAGE_SIZE } from './column.js';

/**
 * One page of a list that the platform sends as a whole. It is sorted by the field that its column names, and a filter looks at the
 * field of its name.
 * @param textOf what a search looks through
 */
export function partOf<T extends object>(
  all: readonly T[],
  { page = 1, q = '', sort, order, ...filters }: ListSearch,
  textOf: (item: T) => string,
): { items: T[]; total: number } {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = Object.entries(filters).filter(([, value]) => value !== undefined);
  const fieldOf = (item: T, name: string) => String((item as Record<string, unknown>)[name] ?? '');
  const found = all.filter(
    (item) =>
      words.every((word) => textOf(item).toLowerCase().includes(word)) &&
      wanted.every(([name, value]) => fieldOf(item, name) === value),
  );
  if (sort !== undefined) {
    const sign = order === 'desc' ? -1 : 1;
    found.sort((a, b) => sign * fieldOf(a, sort).localeCompare(fieldOf(b, sort), 'en', { numeric: true }));
  }
  return { items: found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE), total: found.length };
}
