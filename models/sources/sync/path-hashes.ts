import { randomBytes } from 'node:crypto';

const seed = randomBytes(8);
const [FIRST, SECOND] = [seed.readUInt32LE(0), seed.readUInt32LE(4)];
const { imul } = Math;
const SLASH = 47;

/**
 * 53 bits for every folder of a path and, as the last, for the path itself: one walk over its letters, however deep it is.
 * A `Set` of them takes the same for each path, however long it is (docs/adr/dataset-syncs.md). The seed is the process's
 * own, so that nobody can prepare paths that are taken for one another.
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
  return (imul(a ^ (a >>> 16), 0xc2b2ae35) >>> 11) * 2 ** 32 + ((low ^ (low >>> 13)) >>> 0);
}

/** The hash of a whole path. */
export const pathHash = (path: string): number => pathHashes(path).at(-1) as number;
