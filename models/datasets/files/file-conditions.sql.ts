import { likePattern, type ListQuery } from '../../../core/paging/page.js';
import type { FileFilters, FileSort, FileWindow } from './file-list.types.js';
import type { FileMatch } from './file-match.rules.js';

type FileOrder = Pick<ListQuery<FileSort>, 'sort' | 'order'>;

/** SQL of each filter over the columns of a file. */
const CONDITIONS: Readonly<Record<keyof FileFilters, (file: string, value: string) => string>> = {
  path: (file, value) => `${file}.path = ${value}`,
  status: (file, value) => `${file}.status = ${value}`,
  kind: (file, value) => `${file}.kind = ${value}`,
  origin: (file, value) => `${file}.origin = ${value}`,
  split: (file, value) => `coalesce(${file}.split, 'none') = ${value}`,
  // Folders are in NFC; classes of objects are as their files write them.
  class: (file, value) =>
    `(${file}.label = normalize(${value}) or ${file}.classes && array[${value}, normalize(${value})])`,
  finding: (file, value) => `${file}.findings @> array[${value}]`,
};

/** Adds the values of the match's filters to `params`. @returns SQL over the columns of the alias, which may be none */
export const filterConditions = ({ filters }: FileMatch, alias: string, params: unknown[]): string[] =>
  Object.entries(CONDITIONS).flatMap(([name, conditionOf]) => {
    const value = filters[name as keyof FileFilters];
    return value === undefined ? [] : [conditionOf(alias, `$${params.push(value)}::text`)];
  });

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
  [
    `${alias}.tenant_id = $1`,
    `${alias}.dataset_id = $2`,
    ...filterConditions(match, alias, params),
    nameCondition(match, alias, params),
  ].join(' and ');

/**
 * Names by path, for a limit to be put on what conditions leave of them. The bare offset keeps these out: with them
 * inside, all that match would be sorted, for a page.
 * @param place condition over the columns of `n`
 */
export const namesFrom = (place: string, order: 'asc' | 'desc'): string =>
  `(select n.path from dataset_file n where n.tenant_id = $1 and n.dataset_id = $2 and ${place} order by n.path ${order} offset 0)`;

/** The order of a list, by id where what it is sorted by is the same. */
export const orderOf = ({ sort, order }: FileOrder, alias: string): string =>
  sort === 'path' ? `${alias}.path collate "C" ${order}` : `${alias}.${sort} ${order}, ${alias}.id ${order}`;

/** What comes behind the place where the list goes on, in its order. */
export function placeCondition(
  { sort, order }: FileOrder,
  { after }: FileWindow,
  alias: string,
  params: unknown[],
): string {
  if (after === null) return 'true';
  const sign = order === 'asc' ? '>' : '<';
  const value = `$${params.push(after.value)}`;
  // What a function returns has the database's own collation.
  if (sort === 'path') return `${alias}.path collate "C" ${sign} ${value}`;
  const typed =
    sort === 'size_bytes'
      ? `${value}::bigint`
      : `timestamptz 'epoch' + ${value}::bigint * interval '1 microsecond'`;
  return `(${alias}.${sort}, ${alias}.id) ${sign} (${typed}, $${params.push(after.id)}::uuid)`;
}
