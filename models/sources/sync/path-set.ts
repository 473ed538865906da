import { randomBytes } from 'node:crypto';

const seed = randomBytes(8);
const [FIRST, SECOND] = [seed.readUInt32LE(0), seed.readUInt32LE(4)];
const { imul } = Math;
const SLASH = 47;
/** An empty place in the table; no hash is 0. */
const FREE = 0;

/**
 * 53 bits for every folder of a path and, as the last, for the path itself: one walk over its letters,
 * however deep it is. The seed is the process's own, so that nobody can prepare paths that are taken for one
 * another.
 * @param path without empty parts
 */
export function pathHashes(path: string): number[] {
  const hashes: number[] = [];
  let [a, b] = [FIRST, SECOND];
  for (let at = 0; at < path.length; at += 1) {
    const letter = path.charCodeAt(at);
    if (letter === SLASH) hashes.push(joined(a, b));
    a = imul(a ^ letter, 0x9e3779b1);
    a ^= a >>> 15;
    b = imul(b ^ letter, 0x5f356495);
    b ^= b >>> 13;
  }
  hashes.push(joined(a, b));
  return hashes;
}

function joined(a: number, b: number): number {
  const low = imul(b ^ (b >>> 16), 0x85ebca6b);
  return (imul(a ^ (a >>> 16), 0xc2b2ae35) >>> 11) * 2 ** 32 + ((low ^ (low >>> 13)) >>> 0) || 1;
}

/** The hash of a whole path. */
export const pathHash = (path: string): number => pathHashes(path).at(-1) as number;

/** Paths that were seen, by their hash: at most 32 bytes each, whatever their length. */
export class PathSet {
  private places = new Float64Array(1024);
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** @returns false when it was there already */
  add(hash: number): boolean {
    const place = this.placeOf(hash);
    if (this.places[place] === hash) return false;
    this.places[place] = hash;
    this.count += 1;
    if (this.count * 2 > this.places.length) this.grow();
    return true;
  }

  has(hash: number): boolean {
    return this.places[this.placeOf(hash)] === hash;
  }

  /** Where it stands, or would stand. */
  private placeOf(hash: number): number {
    const last = this.places.length - 1;
    let place = (hash >>> 0) & last;
    while (this.places[place] !== FREE && this.places[place] !== hash) place = (place + 1) & last;
    return place;
  }

  private grow(): void {
    const before = this.places;
    this.places = new Float64Array(before.length * 2);
    for (const hash of before) if (hash !== FREE) this.places[this.placeOf(hash)] = hash;
  }
}
