/** Distinct looks with how many images of each part of the dataset have them. */
export interface HashGroup {
  /** 64 bits as a signed integer in decimal digits. */
  readonly hash: string;
  /** Red, green and blue of a copy of 9 x 8 pixels. */
  readonly tones: Uint8Array;
  readonly images: number;
  readonly train: number;
  /** Images of validation and test. */
  readonly held: number;
}

const PIXELS = 9 * 8;
const TONE_BYTES = PIXELS * 3;
/** Correlation of the tones of copies: what scaling, compression and a change of brightness leave of it. */
const LEAST_CORRELATION = 0.95;
/** Largest ratio of the square sums of contrast: brightness may differ, but not a lot. */
export const MOST_CONTRAST_RATIO = 2;
/** Largest difference of mean colour, in levels: what such a change of brightness makes of a middle grey. */
const MOST_MEAN_DIFFERENCE = 48;

/** Groups as columns of numbers, 28 bytes each and 228 of tones: there may be half a million. */
export class HashGroups {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  readonly images: Int32Array;
  readonly train: Int32Array;
  readonly held: Int32Array;
  /** Square sum of how the tones differ from their mean. */
  readonly contrast: Float32Array;
  length = 0;
  private readonly tones: Uint8Array;
  /** Sum of each colour. */
  private readonly sums: Int32Array;

  constructor(capacity: number) {
    // Memory that is not written to is not taken.
    [this.tones, this.sums] = [new Uint8Array(capacity * TONE_BYTES), new Int32Array(capacity * 3)];
    [this.high, this.low, this.contrast] = [
      new Uint32Array(capacity),
      new Uint32Array(capacity),
      new Float32Array(capacity),
    ];
    [this.images, this.train, this.held] = [
      new Int32Array(capacity),
      new Int32Array(capacity),
      new Int32Array(capacity),
    ];
  }

  static of(groups: readonly HashGroup[]): HashGroups {
    const all = new HashGroups(groups.length);
    for (const group of groups) all.add(group);
    return all;
  }

  add({ hash, tones, images, train, held }: HashGroup): void {
    const bits = BigInt.asUintN(64, BigInt(hash));
    this.high[this.length] = Number(bits >> 32n);
    this.low[this.length] = Number(bits & 0xffffffffn);
    this.images[this.length] = images;
    this.train[this.length] = train;
    this.held[this.length] = held;
    this.keepTones(tones);
    this.length += 1;
  }

  private keepTones(tones: Uint8Array): void {
    const place = this.length;
    this.tones.set(tones, place * TONE_BYTES);
    for (let at = 0; at < TONE_BYTES; at += 1)
      this.sums[place * 3 + (at % 3)] = (this.sums[place * 3 + (at % 3)] as number) + (tones[at] as number);
    this.contrast[place] = this.covariance(place, place);
  }

  /** Sum over the pixels and colours, each colour against its own mean. */
  private covariance(one: number, other: number): number {
    const { tones, sums } = this;
    const [from, to] = [one * TONE_BYTES, other * TONE_BYTES];
    let sum = 0;
    for (let at = 0; at < TONE_BYTES; at += 1)
      sum += (tones[from + at] as number) * (tones[to + at] as number);
    for (let colour = 0; colour < 3; colour += 1)
      sum -= ((sums[one * 3 + colour] as number) * (sums[other * 3 + colour] as number)) / PIXELS;
    return sum;
  }

  /** How far the means of the colour that differs most are apart, in levels. */
  private meanDifference(one: number, other: number): number {
    let most = 0;
    for (let colour = 0; colour < 3; colour += 1)
      most = Math.max(
        most,
        Math.abs((this.sums[one * 3 + colour] as number) - (this.sums[other * 3 + colour] as number)),
      );
    return most / PIXELS;
  }

  /**
   * Whether images of near hashes look alike: the colours of their small copies must be near and correlate too. Hashes of
   * pictures with few steps of brightness are near each other wherever their object lies, and some of textures are by
   * chance; a white and an orange part under one light correlate.
   */
  areAlike(a: number, b: number): boolean {
    const [one, other] = [this.contrast[a] as number, this.contrast[b] as number];
    const [less, more] = one < other ? [one, other] : [other, one];
    return (
      more <= less * MOST_CONTRAST_RATIO &&
      this.meanDifference(a, b) <= MOST_MEAN_DIFFERENCE &&
      this.covariance(a, b) >= LEAST_CORRELATION * Math.sqrt(less * more)
    );
  }

  look(at: number): Look {
    const tones = this.tones.subarray(at * TONE_BYTES, (at + 1) * TONE_BYTES);
    return { hash: this.hash(at), tones: Buffer.from(tones).toString('hex') };
  }

  private hash(at: number): string {
    return BigInt.asIntN(
      64,
      (BigInt(this.high[at] as number) << 32n) | BigInt(this.low[at] as number),
    ).toString();
  }

  /** Whether an image of training and one of validation or test have these hashes. */
  leaks(train: number, held: number): boolean {
    return (this.train[train] as number) > 0 && (this.held[held] as number) > 0;
  }
}

/** What images of one group have in common; tones in hexadecimal digits. */
export interface Look {
  readonly hash: string;
  readonly tones: string;
}
