import { hashKey, type QueryKey } from '@tanstack/react-query';

/**
 * For `placeholderData`: what was read before stays until the answer comes, but only where its key begins as this one.
 * Nothing of another thing is shown or offered.
 * @param start that of both keys
 */
export const keepWithin =
  (start: QueryKey) =>
  <T>(previous: T | undefined, query: { readonly queryKey: QueryKey } | undefined): T | undefined =>
    query !== undefined && hashKey(query.queryKey.slice(0, start.length)) === hashKey(start)
      ? previous
      : undefined;
