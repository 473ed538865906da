/** Distinct perceptual hashes with how many images of each part of the dataset have them. */
export interface HashGroup {
  /** 64 bits as a signed integer in decimal digits. */
  readonly hash: string;
  readonly images: number;
  readonly train: number;
  /** Images of validation and test. */
  readonly held: number;
}

export interface NearDuplicates {
  /** Groups of images that look alike, and the images in them. */
  readonly groups: number;
  readonly images: number;
  /** Images of validation and test that look like one of training. */
  readonly leaked: number;
  /** Pairs of hashes, for examples; of leaks first. */
  readonly pairs: ReadonlyArray<{ readonly a: string; readonly b: string; readonly leaks: boolean }>;
  /** False where a bucket was so full that not every pair in it was compared. */
  readonly isComplete: boolean;
}

/** Copies of other size, quality or brightness differ in at most so many of 64 bits. */
export const NEAR_BITS = 3;
/** 64 bits in four bands: hashes that differ in at most three bits are equal in at least one band. */
const BANDS = 4;
/** Neighbours compared with each hash of a bucket; only sets of very plain images fill buckets more. */
const MAX_NEIGHBOURS = 400;
const MAX_PAIRS = 20;

const bitCount = (value: number): number => {
  let bits = value - ((value >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
};

/**
 * Images that look alike, by buckets of equal bands: the work grows with the number of images, not with its square.
 * Equal hashes are alike by themselves.
 */
export function findNearDuplicates(groups: readonly HashGroup[]): NearDuplicates {
  const { high, low } = halves(groups);
  const parents = Int32Array.from(groups.keys());
  const leaked = new Uint8Array(groups.length);
  const found = new PairList();
  let isComplete = true;
  for (const [at, { hash, images, train, held }] of groups.entries()) {
    const leaks = train > 0 && held > 0;
    if (leaks) leaked[at] = 1;
    if (images > 1) found.add(hash, hash, leaks);
  }
  for (let band = 0; band < BANDS; band += 1) {
    const half = band < 2 ? high : low;
    const keyOf = (at: number): number => (band % 2 === 0 ? (half[at] as number) >>> 16 : (half[at] as number) & 0xffff);
    const order = Int32Array.from(groups.keys()).sort((a, b) => keyOf(a) - keyOf(b) || a - b);
    for (let i = 0; i < order.length; i += 1) {
      const a = order[i] as number;
      for (let j = i + 1; j < order.length && keyOf(order[j] as number) === keyOf(a); j += 1) {
        if (j - i > MAX_NEIGHBOURS) {
          isComplete = false;
          break;
        }
        const b = order[j] as number;
        if (bitCount((high[a] as number) ^ (high[b] as number)) + bitCount((low[a] as number) ^ (low[b] as number)) > NEAR_BITS) continue;
        const [one, other] = [groups[a] as HashGroup, groups[b] as HashGroup];
        if (other.train > 0 && one.held > 0) leaked[a] = 1;
        if (one.train > 0 && other.held > 0) leaked[b] = 1;
        if (join(parents, a, b)) found.add(one.hash, other.hash, (other.train > 0 && one.held > 0) || (one.train > 0 && other.held > 0));
      }
    }
  }
  return { ...sizes(groups, parents), leaked: groups.reduce((sum, group, at) => sum + (leaked[at] === 1 ? group.held : 0), 0), pairs: found.list(), isComplete };
}

function halves(groups: readonly HashGroup[]): { high: Uint32Array; low: Uint32Array } {
  const [high, low] = [new Uint32Array(groups.length), new Uint32Array(groups.length)];
  for (const [at, { hash }] of groups.entries()) {
    const bits = BigInt.asUintN(64, BigInt(hash));
    high[at] = Number(bits >> 32n);
    low[at] = Number(bits & 0xffffffffn);
  }
  return { high, low };
}

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

function sizes(groups: readonly HashGroup[], parents: Int32Array): { groups: number; images: number } {
  const images = new Int32Array(groups.length);
  for (const [at, group] of groups.entries()) {
    const root = rootOf(parents, at);
    images[root] = (images[root] as number) + group.images;
  }
  const alike = images.filter((count) => count > 1);
  return { groups: alike.length, images: alike.reduce((sum, count) => sum + count, 0) };
}

class PairList {
  private readonly leaks: Array<{ a: string; b: string; leaks: boolean }> = [];
  private readonly others: Array<{ a: string; b: string; leaks: boolean }> = [];

  add(a: string, b: string, leaks: boolean): void {
    const list = leaks ? this.leaks : this.others;
    if (list.length < MAX_PAIRS) list.push({ a, b, leaks });
  }

  list(): Array<{ a: string; b: string; leaks: boolean }> {
    return [...this.leaks, ...this.others].slice(0, MAX_PAIRS);
  }
}
