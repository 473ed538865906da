/** Metrics that are read at once: each brings all of its points. */
const MOST_KEYS = 50;
/** Their names go into an address, which the platform takes up to 16 KB of headers long. */
const MOST_CHARACTERS = 4_000;

/** Names of metrics in the order in which they came, as many together as one call takes. */
export function metricSlices(keys: readonly string[]): ReadonlyArray<readonly string[]> {
  const slices: string[][] = [];
  let characters = 0;
  for (const key of keys) {
    const length = encodeURIComponent(`${key},`).length;
    const last = slices.at(-1);
    if (last === undefined || last.length === MOST_KEYS || characters + length > MOST_CHARACTERS) {
      slices.push([key]);
      characters = length;
    } else {
      last.push(key);
      characters += length;
    }
  }
  return slices;
}
