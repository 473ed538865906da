/** Metrics that belong into one chart. */
export interface MetricGroup {
  readonly title: string;
  readonly members: ReadonlyArray<{ readonly key: string; readonly label: string }>;
}

/** `train/loss` and `val_loss` are one figure of two parts of the data. */
const PART = /^(train|training|val|valid|validation|test|eval)[/_](.+)$/;
/** The line that a training is judged by is solid, the others have the same dashes in each chart. */
const PLACES: Readonly<Record<string, number>> = {
  val: 0,
  valid: 0,
  validation: 0,
  train: 1,
  training: 1,
  test: 2,
  eval: 2,
};
const ORDER = ['train', 'training', 'val', 'valid', 'validation', 'test', 'eval'];

/** Whether the platform measures it about the run, rather than the run about its model. */
export const isSystem = (key: string): boolean => key.startsWith('system/');

/** Groups metrics by the figure that they measure, in the order of their names, losses first. */
export function groupMetrics(keys: readonly string[]): MetricGroup[] {
  const groups = new Map<string, Array<{ key: string; label: string }>>();
  for (const key of keys) {
    const [, part, figure] = PART.exec(key) ?? [];
    const title = figure ?? key;
    const label = part ?? key;
    groups.set(title, [...(groups.get(title) ?? []), { key, label }]);
  }
  return [...groups]
    .map(([title, members]) => ({
      title,
      members: members.sort((one, other) => rank(one.label) - rank(other.label)),
    }))
    .sort((one, other) => weight(one.title) - weight(other.title) || one.title.localeCompare(other.title));
}

/** Which of the looks of its run a curve has. @param at its place among the members */
export function placeOf({ members }: MetricGroup, at: number): number {
  return members.length === 1 ? 0 : (PLACES[members[at]?.label ?? ''] ?? at);
}

const rank = (label: string): number => (ORDER.indexOf(label) + ORDER.length) % ORDER.length;

const weight = (title: string): number =>
  /loss/i.test(title) ? 0 : /accuracy|map|iou|f1/i.test(title) ? 1 : 2;
