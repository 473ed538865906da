import { badRequest } from '../../core/errors/app-error.js';
import type { Condition, FilterValue } from '../../formats/mlflow/filter.js';

export type SortKey = Pick<Condition, 'entity' | 'key'> & { readonly isDescending: boolean };

export const badFilter = (problem: string) => badRequest(`Invalid filter: ${problem}`);

/** @throws AppError bad_request for anything but a text */
export function textOf(value: FilterValue): string {
  if (typeof value !== 'string') throw badFilter('expected a text in quotes.');
  return value;
}

/** @throws AppError bad_request for anything but a number */
export function numberOf(value: FilterValue): number {
  if (typeof value !== 'number') throw badFilter('expected a number.');
  return value;
}

/** What an order by attribute alone stands for. @throws AppError bad_request for a name that is none of the given */
export function orderTerm<T>({ entity, key }: SortKey, columns: Readonly<Record<string, T>>): T {
  const column = /^attr(ibutes?)?$/.test(entity) && Object.hasOwn(columns, key) ? columns[key] : undefined;
  if (column === undefined)
    throw badRequest(
      `Invalid order_by: ${JSON.stringify(key.slice(0, 100))} is none of ${Object.keys(columns).join(', ')}.`,
    );
  return column;
}
