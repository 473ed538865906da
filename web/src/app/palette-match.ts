export interface Entry {
  readonly label: string;
  readonly group: string;
  readonly to: { readonly to: string; readonly params?: object; readonly search?: object };
}

/** Entries whose name holds each of the words. */
export const matching = (entries: readonly Entry[], typed: string): Entry[] => {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter((entry) => words.every((word) => entry.label.toLowerCase().includes(word)));
};

export const keyOf = ({ to }: Entry): string => JSON.stringify(to);

/** Place of the chosen entry, however the others move around it; the first as long as none is chosen. */
export const placeOf = (entries: readonly Entry[], chosen: string | null): number =>
  Math.max(
    0,
    entries.findIndex((entry) => keyOf(entry) === chosen),
  );
