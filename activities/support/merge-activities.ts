export type ActivityMap = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

/** @throws Error when two domains name an activity alike: the second would silently replace the first */
export function mergeActivities(maps: readonly object[]): ActivityMap {
  const merged: Record<string, (...args: never[]) => Promise<unknown>> = {};
  for (const map of maps) {
    for (const [name, activity] of Object.entries(map)) {
      if (name in merged) throw new Error(`two activities are named ${name}`);
      merged[name] = activity as (...args: never[]) => Promise<unknown>;
    }
  }
  return merged;
}
