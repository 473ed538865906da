import { beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import sharp from 'sharp';
import { checkImage } from '../../../adapters/sharp/decode-image.js';
import { findNearDuplicates } from '../../../models/datasets/annotations/report/near-duplicates.rules.js';
import {
  type HashGroup,
  HashGroups,
} from '../../../models/datasets/annotations/report/look-alike-groups.rules.js';
import { IMAGEHASH_DHASHES } from './photograph-dhashes.js';

const FOLDER = new URL('../../fixtures/photographs/', import.meta.url);
const LEAST_FOUND = 0.98;
/** Out of 64: what imagededup takes for copies unless it is asked otherwise. */
const IMAGEHASH_BITS = 10;

interface Picture {
  readonly name: string;
  readonly bytes: Buffer;
  /** Null of a picture that is too plain to be distinguished: its copies are missed. */
  readonly look: HashGroup | null;
}

/** Null of a picture that is too plain to be distinguished. */
async function lookOf(bytes: Buffer): Promise<HashGroup | null> {
  const { facts } = await checkImage(bytes, async () => undefined);
  const likeness = facts !== null && 'likeness' in facts ? facts.likeness : null;
  return likeness && { ...likeness, images: 1, train: 1, held: 0 };
}

/** The whole photograph and its quarters: textures, skies and dark grounds among them. */
async function partsOf(photograph: Buffer): Promise<Buffer[]> {
  const { width, height } = await sharp(photograph).metadata();
  const half = { width: Math.floor(width / 2), height: Math.floor(height / 2) };
  const quarters = [0, 1].flatMap((x) =>
    [0, 1].map((y) => ({ left: x * half.width, top: y * half.height, ...half })),
  );
  return Promise.all([
    photograph,
    ...quarters.map((part) => sharp(photograph).extract(part).png().toBuffer()),
  ]);
}

const areAlike = async (one: HashGroup, other: HashGroup): Promise<boolean> => {
  const isSame = one.hash === other.hash && String(one.tones) === String(other.tones);
  return (
    isSame || (await findNearDuplicates(HashGroups.of([one, other]), async () => undefined)).images === 2
  );
};

const bitsBetween = (one: string, other: string): number =>
  (BigInt(`0x${one}`) ^ BigInt(`0x${other}`)).toString(2).replaceAll('0', '').length;

/** How many copies the difference hash of imagehash finds. @param copy its place in the table */
const foundByImagehash = (copy: number): number =>
  Object.values(IMAGEHASH_DHASHES)
    .map((hashes) => hashes.split(' '))
    .filter((hashes) => bitsBetween(hashes[0] as string, hashes[copy] as string) <= IMAGEHASH_BITS).length;

async function halfSize(bytes: Buffer): Promise<Buffer> {
  const { width, height } = await sharp(bytes).metadata();
  const size = { width: Math.floor(width / 2), height: Math.floor(height / 2) };
  return sharp(bytes)
    .resize({ ...size, fit: 'fill' })
    .png()
    .toBuffer();
}

describe('photographs', () => {
  const pictures: Picture[] = [];
  beforeAll(async () => {
    for (const name of readdirSync(FOLDER).filter((file) => file.endsWith('.jpg')))
      for (const [at, bytes] of (await partsOf(readFileSync(new URL(name, FOLDER)))).entries()) {
        pictures.push({ name: `${name} ${at}`, bytes, look: await lookOf(bytes) });
      }
  }, 120_000);

  it('are never too plain to be compared', () => {
    expect(pictures.map(({ name }) => name).sort()).toEqual(Object.keys(IMAGEHASH_DHASHES).sort());
    expect(pictures.filter(({ look }) => look === null)).toEqual([]);
  });

  it.each<[string, number, (bytes: Buffer) => Promise<Buffer>]>([
    ['JPEG of quality 90', 1, (bytes) => sharp(bytes).jpeg({ quality: 90 }).toBuffer()],
    ['JPEG of quality 60', 2, (bytes) => sharp(bytes).jpeg({ quality: 60 }).toBuffer()],
    ['half the size', 3, halfSize],
  ])(
    'are found again as %s, no fewer than by imagehash',
    async (_, at, copy) => {
      const missed: string[] = [];
      for (const { name, bytes, look } of pictures) {
        const other = await lookOf(await copy(bytes));
        if (!look || !other || !(await areAlike(look, other))) missed.push(name);
      }
      const isEnough = missed.length <= (1 - LEAST_FOUND) * pictures.length;
      const isAsGood = pictures.length - missed.length >= foundByImagehash(at);
      expect({ missed, isEnough, isAsGood }).toMatchObject({ isEnough: true, isAsGood: true });
    },
    120_000,
  );

  it('are like no other one', async () => {
    const looks = pictures.flatMap(({ look }) => look ?? []);
    const { pairs, isComplete } = await findNearDuplicates(HashGroups.of(looks), async () => undefined);
    expect({ pairs, isComplete }).toEqual({ pairs: [], isComplete: true });
  });
});
