import type { ListSearch } from './column';

/** A list as somebody left it: what is looked for, its order, and which columns are hidden. */
export interface SavedView {
  readonly name: string;
  readonly search: ListSearch;
  readonly hidden: readonly string[];
}

/** Views of a list with one more, which takes the place of one with its name; by name. */
export const withView = (
  views: readonly SavedView[],
  { name, search, hidden }: SavedView,
): readonly SavedView[] => {
  const { page: _, ...kept } = search;
  return [...views.filter((view) => view.name !== name), { name, search: kept, hidden }].sort((a, b) =>
    a.name.localeCompare(b.name),
  );
};

export const withoutView = (views: readonly SavedView[], name: string): readonly SavedView[] =>
  views.filter((view) => view.name !== name);

/** Change of the address that leads from one state of a list to a saved one, on its first page. */
export const changeTo = (
  before: ListSearch,
  view: SavedView,
): Readonly<Record<string, string | number | undefined>> => ({
  ...Object.fromEntries(['page', ...Object.keys(before)].map((name) => [name, undefined])),
  ...view.search,
});

/** Whether a list stands as the view has it, on whichever page. */
export const isShown = (view: SavedView, search: ListSearch, hidden: readonly string[]): boolean => {
  const { page: _, ...now } = search;
  const asText = (state: ListSearch, columns: readonly string[]) =>
    JSON.stringify([Object.entries(state).sort(), [...columns].sort()]);
  return asText(now, hidden) === asText(view.search, view.hidden);
};
