/** Endings of metrics that people look at first, of the test part before the others. */
const FIRST = [/^test\/(accuracy|map50|miou|map)$/, /^test\//, /^val\//, /^train\//];

const rank = (name: string): number => {
  const place = FIRST.findIndex((pattern) => pattern.test(name));
  return place === -1 ? FIRST.length : place;
};

/** Last values of a run by name; null: not finite. */
type Metrics = Readonly<Record<string, unknown>>;

/** Metrics as they are read: what was measured on unseen data first. */
export const sortedMetrics = (metrics: Metrics): Array<readonly [name: string, value: number | null]> =>
  Object.entries(metrics)
    .map(([name, value]) => [name, typeof value === 'number' ? value : null] as const)
    .sort(([one], [other]) => rank(one) - rank(other) || one.localeCompare(other, 'en'));

/** The few that stand in a row. */
export const mainMetrics = (metrics: Metrics, most: number) => sortedMetrics(metrics).slice(0, most);
