/** Distinct looks with how many images of each part of the dataset have them. */
export interface HashGroup {
  /** 64 bits as a signed integer in decimal digits. */
  readonly hash: string;
  /** Red, green and blue of a small copy, of images whose hash says too little to tell them apart; of others null. */
  readonly tones: Uint8Array | null;
  readonly images: number;
  readonly train: number;
  /** Images of validation and test. */
  readonly held: number;
}

const PIXELS = 9 * 8;
const TONE_BYTES = PIXELS * 3;
/** Groups with tones: their memory stays below 50 MB. */
const MAX_TONED = 200_000;
/** Correlation of the tones of copies: what scaling, compression and a change of brightness leave of it. */
const LEAST_CORRELATION = 0.95;
/** Of the square sums of contrast: brightness may differ, but not a lot. */
const MOST_CONTRAST_RATIO = 2;

/** Groups as columns of numbers, 28 bytes each and the tones: there may be half a million. */
export class HashGroups {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  readonly images: Int32Array;
  readonly train: Int32Array;
  readonly held: Int32Array;
  /** Square sum of how the tones differ from their mean; 0 without tones. */
  readonly contrast: Float32Array;
  length = 0;
  /** False when a group was left out because there are too many with tones. */
  isWhole = true;
  /** Place of a group's tones; -1 without. */
  private readonly tonesAt: Int32Array;
  private readonly tones: Uint8Array;
  /** Of each colour. */
  private readonly sums: Int32Array;
  private toned = 0;

  constructor(capacity: number) {
    const toned = Math.min(capacity, MAX_TONED);
    // Memory that is not written to is not taken.
    [this.tones, this.sums] = [new Uint8Array(toned * TONE_BYTES), new Int32Array(toned * 3)];
    [this.tonesAt, this.contrast] = [new Int32Array(capacity), new Float32Array(capacity)];
    [this.high, this.low] = [new Uint32Array(capacity), new Uint32Array(capacity)];
    [this.images, this.train, this.held] = [new Int32Array(capacity), new Int32Array(capacity), new Int32Array(capacity)];
  }

  static of(groups: readonly HashGroup[]): HashGroups {
    const all = new HashGroups(groups.length);
    for (const group of groups) all.add(group);
    return all;
  }

  add({ hash, tones, images, train, held }: HashGroup): void {
    if (tones !== null && this.toned * TONE_BYTES >= this.tones.length) {
      this.isWhole = false;
      return;
    }
    this.tonesAt[this.length] = tones === null ? -1 : this.keepTones(tones);
    const bits = BigInt.asUintN(64, BigInt(hash));
    this.high[this.length] = Number(bits >> 32n);
    this.low[this.length] = Number(bits & 0xffffffffn);
    this.images[this.length] = images;
    this.train[this.length] = train;
    this.held[this.length] = held;
    this.length += 1;
  }

  private keepTones(tones: Uint8Array): number {
    const place = this.toned;
    this.toned += 1;
    this.tones.set(tones, place * TONE_BYTES);
    for (let at = 0; at < TONE_BYTES; at += 1) this.sums[place * 3 + (at % 3)] = (this.sums[place * 3 + (at % 3)] as number) + (tones[at] as number);
    this.contrast[this.length] = this.covariance(place, place);
    return place;
  }

  /** Sum over the pixels and colours, each colour against its own mean. */
  private covariance(one: number, other: number): number {
    const { tones, sums } = this;
    const [from, to] = [one * TONE_BYTES, other * TONE_BYTES];
    let sum = 0;
    for (let at = 0; at < TONE_BYTES; at += 1) sum += (tones[from + at] as number) * (tones[to + at] as number);
    for (let colour = 0; colour < 3; colour += 1) sum -= ((sums[one * 3 + colour] as number) * (sums[other * 3 + colour] as number)) / PIXELS;
    return sum;
  }

  /**
   * Whether images of near hashes look alike. Hashes of pictures with few steps of brightness are near each other
   * wherever their object lies: there the colours of the small copies must correlate too.
   */
  areAlike(a: number, b: number): boolean {
    const [one, other] = [this.tonesAt[a] as number, this.tonesAt[b] as number];
    if (one < 0 || other < 0) return true;
    const [less, more] = [Math.min(this.contrast[a] as number, this.contrast[b] as number), Math.max(this.contrast[a] as number, this.contrast[b] as number)];
    return more <= less * MOST_CONTRAST_RATIO && this.covariance(one, other) >= LEAST_CORRELATION * Math.sqrt(less * more);
  }

  look(at: number): Look {
    const place = this.tonesAt[at] as number;
    return { hash: this.hash(at), tones: place < 0 ? null : Buffer.from(this.tones.subarray(place * TONE_BYTES, (place + 1) * TONE_BYTES)).toString('hex') };
  }

  private hash(at: number): string {
    return BigInt.asIntN(64, (BigInt(this.high[at] as number) << 32n) | BigInt(this.low[at] as number)).toString();
  }

  /** Whether an image of training and one of validation or test have these hashes. */
  leaks(train: number, held: number): boolean {
    return (this.train[train] as number) > 0 && (this.held[held] as number) > 0;
  }
}

/** What images of one group have in common; tones in hexadecimal digits. */
export interface Look {
  readonly hash: string;
  readonly tones: string | null;
}

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

/** Copies of other size, quality or brightness differ in at most so many of 64 bits. */
export const NEAR_BITS = 3;
/** 64 bits in four bands: hashes that differ in at most three bits are equal in at least one band. */
const BANDS = 4;
/** Neighbours compared with each hash of a bucket; only sets of very plain images fill buckets more. */
const MAX_NEIGHBOURS = 400;
/** Of those with tones, which cost more and stand beside others of like contrast. */
const MAX_TONED_NEIGHBOURS = 60;
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
export async function findNearDuplicates(groups: HashGroups, giveWay: () => Promise<unknown>): Promise<NearDuplicates> {
  const search = new Search(groups);
  // Of like contrast beside each other, which stays so in the buckets.
  const byContrast = Int32Array.from({ length: groups.length }, (_, at) => at).sort((a, b) => (groups.contrast[a] as number) - (groups.contrast[b] as number));
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
  for (let key = 0; key < 2 ** 16; key += 1) places[key + 1] = (places[key + 1] as number) + (places[key] as number);
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
  private isComplete: boolean;

  constructor(private readonly groups: HashGroups) {
    const { length } = groups;
    this.parents = Int32Array.from({ length }, (_, at) => at);
    this.leaked = new Uint8Array(length);
    this.isComplete = groups.isWhole;
    for (let at = 0; at < length; at += 1) {
      const leaks = groups.leaks(at, at);
      if (leaks) this.leaked[at] = 1;
      if ((groups.images[at] as number) > 1) this.found.add(groups, at, at, leaks);
    }
  }

  /** One hash with those behind it in its bucket. @returns how many they were */
  compareFrom(order: Int32Array, from: number, keys: Uint16Array, band: number): number {
    const a = order[from] as number;
    const key = keys[a];
    const reach = (this.groups.contrast[a] as number) > 0 ? MAX_TONED_NEIGHBOURS : MAX_NEIGHBOURS;
    let next = from + 1;
    for (; next < order.length && keys[order[next] as number] === key; next += 1) {
      if (next - from > reach) {
        this.isComplete = false;
        break;
      }
      this.compare(a, order[next] as number, band);
    }
    return next - from - 1;
  }

  private compare(a: number, b: number, band: number): void {
    const { groups, leaked } = this;
    const [upper, lower] = [(groups.high[a] as number) ^ (groups.high[b] as number), (groups.low[a] as number) ^ (groups.low[b] as number)];
    if (bitCount(upper) + bitCount(lower) > NEAR_BITS || firstEqualBand(upper, lower) < band || !groups.areAlike(a, b)) return;
    if (groups.leaks(b, a)) leaked[a] = 1;
    if (groups.leaks(a, b)) leaked[b] = 1;
    if (join(this.parents, a, b)) this.found.add(groups, a, b, groups.leaks(b, a) || groups.leaks(a, b));
  }

  result(): NearDuplicates {
    const { groups, leaked } = this;
    let held = 0;
    for (let at = 0; at < groups.length; at += 1) if (leaked[at] === 1) held += groups.held[at] as number;
    return { ...sizes(groups, this.parents), leaked: held, pairs: this.found.list(), isComplete: this.isComplete };
  }
}

/** Equal in an earlier band too, a pair was compared there. */
const firstEqualBand = (upper: number, lower: number): number => (upper >>> 16 === 0 ? 0 : (upper & 0xffff) === 0 ? 1 : lower >>> 16 === 0 ? 2 : 3);

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
