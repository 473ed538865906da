/** Of the latest lists asked for. */
const MAX_LISTS = 256;
/** So many files from the start of a list are remembered: 36 bytes each, at most 10 MB in all. */
export const HEAD = 1000;
/** Of the paths of all anchors: at most 8 MB. A list of a million files with the longest of paths has half a million. */
const MAX_ANCHOR_CHARACTERS = 4_000_000;

/** The start of a list in one order. */
interface Head {
  readonly total: number;
  /** The first HEAD, or all where they are fewer. */
  readonly ids: readonly string[];
}

/**
 * What one process remembers of lists of files that are not whole ones: finding and counting what they have reads every
 * name or row of the dataset. Keys are those of `matchKey`; null remembers nothing.
 */
export class FileListMemory {
  private readonly totals = new Map<string, number>();
  private readonly heads = new Map<string, readonly string[]>();
  private readonly anchors = new Map<string, readonly string[]>();
  private anchorCharacters = 0;

  totalOf(key: string | null): number | null {
    return key === null ? null : (this.totals.get(key) ?? null);
  }

  /** @param order what the list is sorted by, and how */
  headOf(key: string | null, order: string): Head | null {
    const [total, ids] = [this.totalOf(key), this.heads.get(`${order} ${key}`)];
    return total === null || ids === undefined ? null : { total, ids };
  }

  /** Paths of every 1,000th file of the list by path, as far as they were found. */
  anchorsOf(key: string): readonly string[] {
    return this.anchors.get(key) ?? [];
  }

  keepTotal(key: string | null, total: number): void {
    if (key !== null) keep(this.totals, key, total);
  }

  keepHead(key: string | null, order: string, ids: readonly string[]): void {
    if (key !== null) keep(this.heads, `${order} ${key}`, ids);
  }

  keepAnchors(key: string, anchors: readonly string[]): void {
    this.anchorCharacters += charactersOf(anchors) - charactersOf(this.anchorsOf(key));
    this.anchors.delete(key);
    this.anchors.set(key, anchors);
    for (const [oldest, paths] of this.anchors) {
      if (oldest === key || (this.anchors.size <= MAX_LISTS && this.anchorCharacters <= MAX_ANCHOR_CHARACTERS)) return;
      this.anchors.delete(oldest);
      this.anchorCharacters -= charactersOf(paths);
    }
  }
}

const charactersOf = (paths: readonly string[]): number => paths.reduce((sum, path) => sum + path.length, 0);

/** What was kept longest ago makes place. */
function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.size > MAX_LISTS ? map.keys().next().value : undefined;
  if (oldest !== undefined) map.delete(oldest);
}
