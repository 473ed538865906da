import { type HashGroups, type Look, MOST_CONTRAST_RATIO } from './look-alike-groups.rules.js';

export interface NearDuplicates {
  /** Groups of images that look alike, and the images in them. */
  readonly groups: number;
  readonly images: number;
  /** Images of validation and test that look like one of training. */
  readonly leaked: number;
  /** Pairs of groups, for examples; of leaks first. */
  readonly pairs: ReadonlyArray<{ readonly a: Look; readonly b: Look; readonly leaks: boolean }>;
  /** False where images were left out, or a bucket was so full that not every pair in it was compared. */
  readonly isComplete: boolean;
}

/** Copies of other size, quality or brightness differ in at most this many of 64 bits. */
export const NEAR_BITS = 3;
/** 64 bits in four bands: hashes that differ in at most three bits are equal in at least one band. */
const BANDS = 4;
/** Neighbours of like contrast compared with each hash of a bucket; only sets of very plain images fill buckets more. */
const MAX_NEIGHBOURS = 400;
/** Neighbours with a near hash whose tones are compared, which costs more. */
const MAX_NEAR_NEIGHBOURS = 60;
const MAX_PAIRS = 20;
/** Comparisons, or hashes looked at, after which others get a turn: some milliseconds. */
const BREATH = 50_000;

const bitCount = (value: number): number => {
  let bits = value - ((value >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
};

/**
 * Images that look alike, by buckets of equal bands: the work grows with the number of images, not with its square.
 * Images of one group are alike by themselves.
 * @param giveWay awaited every few milliseconds: half a million groups take seconds. What it throws ends the search
 */
export async function findNearDuplicates(
  groups: HashGroups,
  giveWay: () => Promise<unknown>,
): Promise<NearDuplicates> {
  const search = new Search(groups);
  // Sort by contrast; buckets keep that order.
  const byContrast = Int32Array.from({ length: groups.length }, (_, at) => at).sort(
    (a, b) => (groups.contrast[a] as number) - (groups.contrast[b] as number),
  );
  for (let band = 0; band < BANDS; band += 1) {
    const keys = keysOf(groups, band);
    const order = inBuckets(byContrast, keys);
    await giveWay();
    for (let at = 0, done = 0; at < order.length; at += 1) {
      done += 1 + search.compareFrom(order, at, keys, band);
      if (done < BREATH) continue;
      done = 0;
      await giveWay();
    }
  }
  return search.result();
}

/** 16 bits of each hash. */
function keysOf({ high, low, length }: HashGroups, band: number): Uint16Array {
  const [half, shift] = [band < 2 ? high : low, band % 2 === 0 ? 16 : 0];
  return Uint16Array.from({ length }, (_, at) => (half[at] as number) >>> shift);
}

/** By their keys, those of one key in the order given: in two passes, where comparing half a million would take a second. */
function inBuckets(order: Int32Array, keys: Uint16Array): Int32Array {
  const places = new Int32Array(2 ** 16 + 1);
  for (const key of keys) places[key + 1] = (places[key + 1] as number) + 1;
  for (let key = 0; key < 2 ** 16; key += 1)
    places[key + 1] = (places[key + 1] as number) + (places[key] as number);
  const sorted = new Int32Array(order.length);
  for (const at of order) {
    const key = keys[at] as number;
    sorted[places[key] as number] = at;
    places[key] = (places[key] as number) + 1;
  }
  return sorted;
}

class Search {
  private readonly parents: Int32Array;
  private readonly leaked: Uint8Array;
  private readonly found = new PairList();
  private isComplete = true;

  constructor(private readonly groups: HashGroups) {
    const { length } = groups;
    this.parents = Int32Array.from({ length }, (_, at) => at);
    this.leaked = new Uint8Array(length);
    for (let at = 0; at < length; at += 1) {
      const leaks = groups.leaks(at, at);
      if (leaks) this.leaked[at] = 1;
      if ((groups.images[at] as number) > 1) this.found.add(groups, at, at, leaks);
    }
  }

  /** One hash with those behind it in its bucket. @returns how many they were */
  compareFrom(order: Int32Array, from: number, keys: Uint16Array, band: number): number {
    const { high, low, contrast } = this.groups;
    const a = order[from] as number;
    const key = keys[a];
    const mostContrast = (contrast[a] as number) * MOST_CONTRAST_RATIO;
    let next = from + 1;
    for (let near = 0; next < order.length && keys[order[next] as number] === key; next += 1) {
      const b = order[next] as number;
      // Those behind it have even more.
      if ((contrast[b] as number) > mostContrast) break;
      if (next - from > MAX_NEIGHBOURS || near >= MAX_NEAR_NEIGHBOURS) {
        this.isComplete = false;
        break;
      }
      const upper = (high[a] as number) ^ (high[b] as number);
      const lower = (low[a] as number) ^ (low[b] as number);
      if (bitCount(upper) + bitCount(lower) > NEAR_BITS) continue;
      near += 1;
      if (firstEqualBand(upper, lower) >= band && this.groups.areAlike(a, b)) this.join(a, b);
    }
    return next - from - 1;
  }

  private join(a: number, b: number): void {
    const { groups, leaked } = this;
    if (groups.leaks(b, a)) leaked[a] = 1;
    if (groups.leaks(a, b)) leaked[b] = 1;
    if (join(this.parents, a, b)) this.found.add(groups, a, b, groups.leaks(b, a) || groups.leaks(a, b));
  }

  result(): NearDuplicates {
    const { groups, leaked } = this;
    let held = 0;
    for (let at = 0; at < groups.length; at += 1) if (leaked[at] === 1) held += groups.held[at] as number;
    return {
      ...sizes(groups, this.parents),
      leaked: held,
      pairs: this.found.list(),
      isComplete: this.isComplete,
    };
  }
}

/** Equal in an earlier band too, a pair was compared there. */
const firstEqualBand = (upper: number, lower: number): number =>
  upper >>> 16 === 0 ? 0 : (upper & 0xffff) === 0 ? 1 : lower >>> 16 === 0 ? 2 : 3;

function rootOf(parents: Int32Array, at: number): number {
  let root = at;
  while (parents[root] !== root) {
    parents[root] = parents[parents[root] as number] as number;
    root = parents[root] as number;
  }
  return root;
}

/** @returns false when both were in one group already */
function join(parents: Int32Array, a: number, b: number): boolean {
  const [one, other] = [rootOf(parents, a), rootOf(parents, b)];
  if (one === other) return false;
  parents[other] = one;
  return true;
}

function sizes(groups: HashGroups, parents: Int32Array): { groups: number; images: number } {
  const images = new Int32Array(groups.length);
  for (let at = 0; at < groups.length; at += 1) {
    const root = rootOf(parents, at);
    images[root] = (images[root] as number) + (groups.images[at] as number);
  }
  const alike = images.filter((count) => count > 1);
  return { groups: alike.length, images: alike.reduce((sum, count) => sum + count, 0) };
}

class PairList {
  private readonly leaks: Array<{ a: Look; b: Look; leaks: boolean }> = [];
  private readonly others: Array<{ a: Look; b: Look; leaks: boolean }> = [];

  add(groups: HashGroups, a: number, b: number, leaks: boolean): void {
    const list = leaks ? this.leaks : this.others;
    if (list.length < MAX_PAIRS) list.push({ a: groups.look(a), b: groups.look(b), leaks });
  }

  list(): Array<{ a: Look; b: Look; leaks: boolean }> {
    return [...this.leaks, ...this.others].slice(0, MAX_PAIRS);
  }
}
