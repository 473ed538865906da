import type { ListSearch } from '../../shared/list/column';

/** A version of a model as one word of an address; names of models have no colon. */
export const installedWord = (model: string, version: number | string): string => `${model}:${version}`;

/** Filters of the fleet as the API has them: what is installed stands in two words there. */
export function fleetFilters({ runs, ...search }: ListSearch): ListSearch {
  const at = String(runs ?? '').lastIndexOf(':');
  if (runs === undefined || at < 1) return search;
  const word = String(runs);
  return { ...search, model: word.slice(0, at), version: word.slice(at + 1) };
}
