import { AppError, fieldError, unprocessable } from '../errors/app-error.js';

export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 200;
/** Lists without page parameters are cut here, with the true total. */
export const MAX_PLAIN_LIST = 1000;

export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly page: number;
  readonly page_size: number;
}

/** The common parameters of lists as they arrive. */
export interface StdParams {
  readonly page?: number;
  readonly page_size?: number;
  readonly q?: string;
  readonly sort?: string;
  readonly order?: 'asc' | 'desc';
}

/** Checked list parameters, ready for a repository. `S` is the union of allowed sort keys. */
export interface ListQuery<S extends string = string> {
  readonly page: number;
  readonly pageSize: number;
  readonly offset: number;
  readonly q: string | null;
  readonly sort: S;
  readonly order: 'asc' | 'desc';
}

/**
 * @param allowed sort keys of this list; the first is the default
 * @throws AppError bad_request with `detail.allowed` for an unknown sort key, unprocessable_entity for bad sizes
 */
export function toListQuery<S extends string>(
  params: StdParams,
  allowed: readonly [S, ...S[]],
  defaultOrder: 'asc' | 'desc' = 'asc',
): ListQuery<S> {
  const page = params.page ?? 1;
  const pageSize = params.page_size ?? DEFAULT_PAGE_SIZE;
  if (!Number.isInteger(page) || page < 1 || page > 10_000_000)
    throw unprocessable([fieldError(['query', 'page'], 'must be an integer from 1 to 10000000')]);
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > MAX_PAGE_SIZE)
    throw unprocessable([
      fieldError(['query', 'page_size'], `must be an integer from 1 to ${MAX_PAGE_SIZE}`),
    ]);
  if (params.sort !== undefined && params.sort !== '' && !allowed.includes(params.sort as S))
    throw new AppError('bad_request', `Cannot sort by that key; use one of ${allowed.join(', ')}.`, {
      allowed,
    });
  const q = params.q?.trim();
  return {
    page,
    pageSize,
    offset: (page - 1) * pageSize,
    q: q ? q : null,
    sort: params.sort ? (params.sort as S) : allowed[0],
    order: params.order ?? defaultOrder,
  };
}

export const toPage = <T>(
  query: { page: number; pageSize: number },
  items: readonly T[],
  total: number,
): Page<T> => ({
  items,
  total,
  page: query.page,
  page_size: query.pageSize,
});

/** Escapes a text for use inside a LIKE pattern with `\` as the escape character. */
export const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, (char) => `\\${char}`)}%`;
