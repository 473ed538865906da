import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  findNearDuplicates as findIn,
  NEAR_BITS,
} from '../../../models/datasets/annotations/report/near-duplicates.rules.js';
import {
  type HashGroup,
  HashGroups,
} from '../../../models/datasets/annotations/report/look-alike-groups.rules.js';
import { cpuMsOf } from '../../setup/cpu-time.js';

let state = 88172645463325252n;
function random64(): bigint {
  state ^= BigInt.asUintN(64, state << 13n);
  state ^= state >> 7n;
  state ^= BigInt.asUintN(64, state << 17n);
  return BigInt.asUintN(64, state);
}
/** That of pictures alike in their colours. */
const TONES = Uint8Array.from({ length: 9 * 8 * 3 }, (_, at) => at);
const group = (hash: bigint, more: Partial<HashGroup> = {}): HashGroup => ({
  hash: BigInt.asIntN(64, hash).toString(),
  tones: TONES,
  images: 1,
  train: 1,
  held: 0,
  ...more,
});
const findNearDuplicates = (groups: readonly HashGroup[]) => findIn(HashGroups.of(groups), () => nextTurn());
const flip = (hash: bigint, bits: readonly number[]): bigint =>
  bits.reduce((so, bit) => so ^ (1n << BigInt(bit)), hash);

describe('images that look alike', () => {
  it('are found wherever up to three of 64 bits differ, as by comparing every pair', async () => {
    const hashes = Array.from({ length: 300 }, random64);
    const near = hashes
      .slice(0, 60)
      .map((hash, at) => flip(hash, [at % 64, (at * 7 + 1) % 64, (at * 13 + 2) % 64].slice(0, 1 + (at % 3))));
    const far = hashes.slice(60, 120).map((hash, at) =>
      flip(
        hash,
        [0, 1, 2, 3].map((bit) => (bit * 16 + at) % 64),
      ),
    );
    const all = [...new Set([...hashes, ...near, ...far])].map((hash) => group(hash));
    const found = await findNearDuplicates(all);
    const distance = (a: HashGroup, b: HashGroup) =>
      (BigInt.asUintN(64, BigInt(a.hash)) ^ BigInt.asUintN(64, BigInt(b.hash)))
        .toString(2)
        .replaceAll('0', '').length;
    const touched = all.filter((one) =>
      all.some((other) => other !== one && distance(one, other) <= NEAR_BITS),
    ).length;
    expect(found).toMatchObject({ images: touched, isComplete: true });
    expect(found.groups).toBe(touched / 2);
  });

  it('leak where one is for training and the other held back', async () => {
    const hash = random64();
    const found = await findNearDuplicates([
      group(hash),
      group(flip(hash, [63]), { train: 0, held: 2, images: 2 }),
      group(random64(), { images: 3, train: 1, held: 2 }),
      group(random64(), { train: 0, held: 5, images: 5 }),
    ]);
    expect(found).toMatchObject({ leaked: 4, images: 3 + 3 + 5 });
    expect(found.pairs.filter(({ leaks }) => leaks)).toHaveLength(2);
    expect(found.pairs.filter(({ leaks }) => leaks).map(({ a }) => a.hash)).toContain(group(hash).hash);
  });

  it('have colours alike: not a white and an orange part under one light', async () => {
    const hash = random64();
    const part = (...colour: readonly number[]): HashGroup => {
      const shaded = (at: number) => (colour[at % 3] as number) - 5 * (Math.floor(at / 3) % 9);
      return group(hash, { tones: Uint8Array.from(TONES, (_, at) => shaded(at)) });
    };
    const [white, orange, dimmed] = [part(250, 250, 250), part(250, 165, 60), part(230, 230, 230)];
    expect(await findNearDuplicates([white, orange])).toMatchObject({ images: 0, pairs: [] });
    expect(await findNearDuplicates([white, dimmed])).toMatchObject({ images: 2 });
  });

  it('cost no square of their number: 200,000 distinct hashes, and 50,000 in one bucket', async () => {
    const many = Array.from({ length: 200_000 }, () => group(random64()));
    const crowded = Array.from({ length: 50_000 }, (_, at) =>
      group((BigInt(at) << 48n) | (BigInt(at * 2654435761) & 0xffffffffn)),
    );
    const spent = await cpuMsOf(async () => {
      expect((await findNearDuplicates(many)).isComplete).toBe(true);
      await findNearDuplicates(crowded);
    });
    expect(spent).toBeLessThan(60_000);
  });

  it('are looked for in turns with everything else', async () => {
    const crowded = Array.from({ length: 5000 }, (_, at) =>
      group((1n << 48n) | (BigInt(at * 2654435761) & 0xffffffffn)),
    );
    let [beats, turns] = [0, 0];
    const timer = setInterval(() => {
      beats += 1;
    }, 1);
    // Two million comparisons of the full bucket alone.
    await findIn(HashGroups.of(crowded), async () => {
      turns += 1;
      await nextTurn();
    });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(40);
    expect(beats).toBeGreaterThan(2);
  });

  it('are looked for no longer once the turn is refused', async () => {
    const ended = new Error('cancelled');
    let turns = 0;
    const search = findIn(
      HashGroups.of(Array.from({ length: 5000 }, (_, at) => group(BigInt(at)))),
      async () => {
        turns += 1;
        if (turns === 3) throw ended;
      },
    );
    await expect(search).rejects.toBe(ended);
    expect(turns).toBe(3);
  });
});
