import { PAGE_SIZE } from '../../shared/list/column.js';

interface Wanted {
  readonly page?: number;
  readonly q?: string;
  readonly sort?: string;
  readonly order?: 'asc' | 'desc';
}

/**
 * One page of a list that the platform sends as a whole.
 * @param textOf what a search looks through
 */
export function partOf<T extends object>(
  all: readonly T[],
  { page = 1, q = '', sort, order }: Wanted,
  textOf: (item: T) => string,
): { items: T[]; total: number } {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter((item) => words.every((word) => textOf(item).toLowerCase().includes(word)));
  if (sort !== undefined) {
    const sign = order === 'desc' ? -1 : 1;
    const key = (item: T) => String((item as Record<string, unknown>)[sort] ?? '');
    found.sort((a, b) => sign * key(a).localeCompare(key(b), 'en', { numeric: true }));
  }
  return { items: found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE), total: found.length };
}
