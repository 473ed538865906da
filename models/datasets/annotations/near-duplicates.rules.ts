/** Distinct perceptual hashes with how many images of each part of the dataset have them. */
export interface HashGroup {
  /** 64 bits as a signed integer in decimal digits. */
  readonly hash: string;
  readonly images: number;
  readonly train: number;
  /** Images of validation and test. */
  readonly held: number;
}

/** Groups as columns of numbers, 20 bytes each: there may be half a million. */
export class HashGroups {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  readonly images: Int32Array;
  readonly train: Int32Array;
  readonly held: Int32Array;
  length = 0;

  constructor(capacity: number) {
    [this.high, this.low] = [new Uint32Array(capacity), new Uint32Array(capacity)];
    [this.images, this.train, this.held] = [new Int32Array(capacity), new Int32Array(capacity), new Int32Array(capacity)];
  }

  static of(groups: readonly HashGroup[]): HashGroups {
    const all = new HashGroups(groups.length);
    for (const group of groups) all.add(group);
    return all;
  }

  add({ hash, images, train, held }: HashGroup): void {
    const bits = BigInt.asUintN(64, BigInt(hash));
    this.high[this.length] = Number(bits >> 32n);
    this.low[this.length] = Number(bits & 0xffffffffn);
    this.images[this.length] = images;
    this.train[this.length] = train;
    this.held[this.length] = held;
    this.length += 1;
  }

  hash(at: number): string {
    return BigInt.asIntN(64, (BigInt(this.high[at] as number) << 32n) | BigInt(this.low[at] as number)).toString();
  }

  /** Whether an image of training and one of validation or test have these hashes. */
  leaks(train: number, held: number): boolean {
    return (this.train[train] as number) > 0 && (this.held[held] as number) > 0;
  }
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
export function findNearDuplicates(groups: HashGroups): NearDuplicates {
  const { high, low, length } = groups;
  const parents = Int32Array.from({ length }, (_, at) => at);
  const leaked = new Uint8Array(length);
  const found = new PairList();
  let isComplete = true;
  for (let at = 0; at < length; at += 1) {
    const leaks = groups.leaks(at, at);
    if (leaks) leaked[at] = 1;
    if ((groups.images[at] as number) > 1) found.add(groups, at, at, leaks);
  }
  for (let band = 0; band < BANDS; band += 1) {
    const half = band < 2 ? high : low;
    const keyOf = (at: number): number => (band % 2 === 0 ? (half[at] as number) >>> 16 : (half[at] as number) & 0xffff);
    const order = Int32Array.from({ length }, (_, at) => at).sort((a, b) => keyOf(a) - keyOf(b) || a - b);
    for (let i = 0; i < order.length; i += 1) {
      const a = order[i] as number;
      for (let j = i + 1; j < order.length && keyOf(order[j] as number) === keyOf(a); j += 1) {
        if (j - i > MAX_NEIGHBOURS) {
          isComplete = false;
          break;
        }
        const b = order[j] as number;
        if (bitCount((high[a] as number) ^ (high[b] as number)) + bitCount((low[a] as number) ^ (low[b] as number)) > NEAR_BITS) continue;
        if (groups.leaks(b, a)) leaked[a] = 1;
        if (groups.leaks(a, b)) leaked[b] = 1;
        if (join(parents, a, b)) found.add(groups, a, b, groups.leaks(b, a) || groups.leaks(a, b));
      }
    }
  }
  let held = 0;
  for (let at = 0; at < length; at += 1) if (leaked[at] === 1) held += groups.held[at] as number;
  return { ...sizes(groups, parents), leaked: held, pairs: found.list(), isComplete };
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
  private readonly leaks: Array<{ a: string; b: string; leaks: boolean }> = [];
  private readonly others: Array<{ a: string; b: string; leaks: boolean }> = [];

  add(groups: HashGroups, a: number, b: number, leaks: boolean): void {
    const list = leaks ? this.leaks : this.others;
    if (list.length < MAX_PAIRS) list.push({ a: groups.hash(a), b: groups.hash(b), leaks });
  }

  list(): Array<{ a: string; b: string; leaks: boolean }> {
    return [...this.leaks, ...this.others].slice(0, MAX_PAIRS);
  }
}
