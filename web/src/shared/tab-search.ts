/** What the address of a page with tabs holds: the tab, and what the tab itself keeps there. */
export interface TabSearch {
  readonly tab?: string;
  readonly page?: number;
  readonly [word: string]: string | number | undefined;
}

export const tabSearch = (given: Record<string, unknown>): TabSearch => {
  const kept: Record<string, string | number | undefined> = {};
  for (const [name, value] of Object.entries(given)) {
    if (name === 'page') kept.page = Number(value) > 1 ? Number(value) : undefined;
    else if (typeof value === 'string' || typeof value === 'number') kept[name] = String(value);
  }
  return kept;
};
