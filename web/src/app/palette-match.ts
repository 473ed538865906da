import { body } from '../api/client';

interface Named {
  readonly label: string;
  readonly group: string;
}

export interface Goal {
  readonly to: string;
  readonly params?: object;
  readonly search?: object;
  readonly state?: object;
}

/** A page or a thing, which it leads to, or what is done in place. */
export type Entry = Named & ({ readonly to: Goal } | { readonly run: () => void });

/** Things of one kind, on their way. */
export interface Kind {
  readonly group: string;
  readonly entries: Promise<Entry[]>;
}

type Answer<T> = Parameters<typeof body<{ readonly items: readonly T[] }>>[0];
type Leading = { readonly label: string; readonly to: Goal };

/** What the API answers as entries of one kind. */
export function entries<T>(group: string, answer: Answer<T>, entryOf: (thing: T) => Leading): Kind {
  const read = body(answer).then(({ items }) => items.map((thing) => ({ ...entryOf(thing), group })));
  return { group, entries: read };
}

/** Kinds that came, and the names of those that did not. */
export interface Found {
  readonly kinds: readonly Entry[][];
  readonly failed: readonly string[];
  /** Why the first did not come. */
  readonly error: unknown;
}

/** Waits for all kinds; one that cannot be had does not keep the others away. */
export async function settled(kinds: readonly Kind[]): Promise<Found> {
  const results = await Promise.allSettled(kinds.map(({ entries }) => entries));
  return {
    kinds: results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    failed: kinds.filter((_, at) => results[at]?.status === 'rejected').map(({ group }) => group),
    error: results.find((result) => result.status === 'rejected')?.reason ?? null,
  };
}

/** Entries whose name holds each of the words. */
export const matching = (entries: readonly Entry[], typed: string): Entry[] => {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter((entry) => words.every((word) => entry.label.toLowerCase().includes(word)));
};

export const keyOf = (entry: Entry): string => ('to' in entry ? JSON.stringify(entry.to) : entry.label);

/** Place of the chosen entry, however the others move around it; the first as long as none is chosen. */
export const placeOf = (entries: readonly Entry[], chosen: string | null): number =>
  Math.max(
    0,
    entries.findIndex((entry) => keyOf(entry) === chosen),
  );
