import { likePattern, type ListQuery } from '../../core/paging/page.js';
import type { FileSort } from './file-list.types.js';
import type { FileMatch } from './file-match.rules.js';

/** Adds the values of the match's filters to `params`. @returns SQL over the columns of the alias, which may be none */
export const filterConditions = ({ filters }: FileMatch, alias: string, params: unknown[]): string[] =>
  (['status', 'kind', 'origin'] as const).flatMap((name) => (filters[name] === undefined ? [] : [`${alias}.${name} = $${params.push(filters[name])}`]));

/** True for matches that names alone decide. */
export const isByName = ({ filters }: FileMatch): boolean => Object.values(filters).every((value) => value === undefined);

/**
 * Names are compared with the text in this order: the exact comparison costs half of the other and finds most of what
 * that does.
 */
export function nameCondition({ text }: FileMatch, alias: string, params: unknown[]): string {
  if (text === null) return 'true';
  const pattern = likePattern(text);
  // Paths are of the collation C, which knows no other letters with two cases.
  const lower = pattern.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return `(${alias}.path like $${params.push(lower)} or ${alias}.path ilike $${params.push(pattern)})`;
}

/** The match over rows of dataset_file, whose tenant and dataset are the first two of `params`. */
export const matchCondition = (match: FileMatch, alias: string, params: unknown[]): string =>
  [`${alias}.tenant_id = $1`, `${alias}.dataset_id = $2`, ...filterConditions(match, alias, params), nameCondition(match, alias, params)].join(' and ');

/**
 * Names by path, for a limit to be put on what conditions leave of them. The bare offset keeps these out: with them
 * inside, all that match would be sorted, for a page.
 */
export const namesFrom = (path: string, order: 'asc' | 'desc' = 'asc', last: string | null = null): string =>
  `(select n.path from dataset_file n where n.tenant_id = $1 and n.dataset_id = $2 and n.path >= ${path}${last === null ? '' : ` and n.path <= ${last}`} order by n.path ${order} offset 0)`;

/** The order of a list, by id where what it is sorted by is the same. */
export const orderOf = ({ sort, order }: ListQuery<FileSort>, alias: string): string =>
  sort === 'path' ? `${alias}.path collate "C" ${order}` : `${alias}.${sort} ${order}, ${alias}.id ${order}`;
