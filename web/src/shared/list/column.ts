import type { ReactNode } from 'react';
import type { Offer, Offers } from '../choices/offers';

/** One column of a list. The first is the name, the last the time; numbers stand to the right. */
export interface Column<T> {
  readonly id: string;
  readonly label: string;
  readonly cell: (row: T) => ReactNode;
  /** Name of the server's sort, where it has one. */
  readonly sort?: string;
  readonly align?: 'right';
  /** Shown only when somebody chooses it. */
  readonly isExtra?: boolean;
}

export interface Sort {
  readonly by: string;
  readonly order: 'asc' | 'desc';
}

/** The largest number and the latest time are what somebody looks for; of words it is the first. */
const firstOrder = ({ align, sort = '' }: Pick<Column<never>, 'align' | 'sort'>): Sort['order'] =>
  align === 'right' || /_at$|^last_/.test(sort) ? 'desc' : 'asc';

/** The order after a click on the head of a column. @param now null: nobody knows */
export function sortAfter(column: Pick<Column<never>, 'align' | 'sort'>, now: Sort | null): Sort {
  const { sort: by = '' } = column;
  if (now?.by !== by) return { by, order: firstOrder(column) };
  return { by, order: now.order === 'asc' ? 'desc' : 'asc' };
}

/** A filter of a list: one word in the address, one choice. */
export interface Filter {
  readonly key: string;
  readonly label: string;
  /** All that can be chosen, or where it is read from. */
  readonly options: readonly Offer[] | Offers;
}

/** A filter by the digest of data, which nobody chooses from a list: it is there while the address has one. */
export function digestFilter(key: string, label: string, search: ListSearch): readonly Filter[] {
  const digest = search[key];
  if (typeof digest !== 'string') return [];
  return [{ key, label, options: [{ value: digest, label: digest.slice(0, 16) }] }];
}

/** What the address of a list page holds; filters are further words of their own. */
export interface ListSearch {
  readonly page?: number;
  readonly q?: string;
  readonly sort?: string;
  readonly order?: 'asc' | 'desc';
  readonly [filter: string]: string | number | undefined;
}

export const PAGE_SIZE = 50;

/** The last page, where a page is asked for that lies beyond it; else null. */
export function pageInstead(
  page: number,
  answer: { readonly items: readonly unknown[]; readonly total: number },
) {
  const last = Math.max(1, Math.ceil(answer.total / PAGE_SIZE));
  return answer.items.length === 0 && page > last ? last : null;
}

/** Reads a list's state out of the address; words it does not know go. @param filters names of the page's filters */
export const listSearch =
  (...filters: readonly string[]) =>
  (given: Record<string, unknown>): ListSearch => {
    const page = Number(given.page);
    const kept: Record<string, string | number | undefined> = {};
    for (const name of ['q', 'sort', ...filters]) {
      const value = given[name];
      if (typeof value === 'string' && value !== '') kept[name] = value;
      // The router reads a word of digits as a number.
      else if (typeof value === 'number') kept[name] = String(value);
    }
    if (Number.isInteger(page) && page > 1) kept.page = page;
    if (given.order === 'asc' || given.order === 'desc') kept.order = given.order;
    return kept as ListSearch;
  };

/** The query of the API for a list's state. */
export const listQuery = <T extends ListSearch>(search: T) => ({
  ...search,
  page: search.page ?? 1,
  page_size: PAGE_SIZE,
});

/** Words of the address that a list in a tab knows; others belong to other tabs. @param filters names of its filters */
export const listPart = (search: ListSearch, ...filters: readonly string[]): ListSearch =>
  Object.fromEntries(
    ['page', 'q', 'sort', 'order', ...filters].flatMap((name) =>
      search[name] === undefined ? [] : [[name, search[name]]],
    ),
  );

/** Words that say what is looked for, not how it is shown. */
const narrows = (name: string): boolean => !['page', 'sort', 'order'].includes(name);

export const isFiltered = (search: ListSearch): boolean => Object.keys(search).some(narrows);

/** Change of the address that takes the search and the filters of a list away and leaves what others keep there. */
export const withoutFilters = (search: ListSearch): Readonly<Record<string, undefined>> =>
  Object.fromEntries(['page', ...Object.keys(search).filter(narrows)].map((name) => [name, undefined]));
