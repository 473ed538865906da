import type { TabSearch } from './tabs';

/** Reads it out of the address. Apart from the tabs, which the lists of routes must not load. */
export const tabSearch = (given: Record<string, unknown>): TabSearch => {
  const kept: Record<string, string | number | undefined> = {};
  for (const [name, value] of Object.entries(given)) {
    if (name === 'page') kept.page = Number(value) > 1 ? Number(value) : undefined;
    else if (typeof value === 'string' || typeof value === 'number') kept[name] = String(value);
  }
  return kept;
};
