import type { Schemas } from '../api/client';

/** Okabe and Ito's colours, which people with any sight can distinguish. */
const COLOURS = [
  '#e69f00',
  '#56b4e9',
  '#009e73',
  '#f0e442',
  '#0072b2',
  '#d55e00',
  '#cc79a7',
  '#ffffff',
] as const;

/** The same class has the same colour on every picture. @param classes in the order of their colours */
export function colourOf(label: string | null, classes: readonly string[]): string {
  const at = label === null ? -1 : classes.indexOf(label);
  const place = at >= 0 ? at : hashOf(label ?? '');
  return COLOURS[place % COLOURS.length] as string;
}

function hashOf(text: string): number {
  let hash = 7;
  for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) >>> 0;
  return hash;
}

interface Dataset {
  readonly tasks: readonly string[];
  readonly manifest: { readonly classes: readonly Named[]; readonly tasks: unknown };
}
interface Named {
  readonly name: string;
}

/** The task whose classes the objects of a dataset have; null where pictures have none. */
export const objectTask = (dataset: Dataset): Schemas['TaskType'] | null =>
  (dataset.tasks.find((task) => task !== 'classification') as Schemas['TaskType'] | undefined) ?? null;

/** Names of the classes that the objects of a dataset have, in the order of their colours. */
export function objectClasses(dataset: Dataset): string[] {
  const task = objectTask(dataset);
  const tasks = dataset.manifest.tasks as Readonly<Record<string, readonly Named[]>>;
  const classes = task === null ? dataset.manifest.classes : (tasks[task] ?? []);
  return classes.map(({ name }) => name);
}
