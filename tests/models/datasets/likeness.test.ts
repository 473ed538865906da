import { describe, expect, it } from '@jest/globals';
import sharp, { type Sharp } from 'sharp';
import { checkImage } from '../../../adapters/sharp/decode-image.js';
import { findNearDuplicates } from '../../../models/datasets/annotations/report/near-duplicates.rules.js';
import {
  type HashGroup,
  HashGroups,
} from '../../../models/datasets/annotations/report/look-alike-groups.rules.js';
import { cpuMsOf } from '../../setup/cpu-time.js';

const [WIDTH, HEIGHT] = [320, 240];
let state = 7;
const below = (end: number): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * end);
};

/** Squares of any place, size and colour on an even ground. */
async function squares(count: number, ground: string): Promise<Buffer> {
  const one = () => {
    const side = 20 + below(45);
    const background = { r: below(150), g: below(150), b: below(150) };
    return {
      input: { create: { width: side, height: side, channels: 3 as const, background } },
      left: below(WIDTH - side),
      top: below(HEIGHT - side),
    };
  };
  return sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: ground } })
    .composite(Array.from({ length: count }, one))
    .png()
    .toBuffer();
}

/** The same as a camera sees it. */
async function grainy(): Promise<Buffer> {
  const pixels = await sharp(await squares(1, '#c8cdd2'))
    .removeAlpha()
    .raw()
    .toBuffer();
  for (let at = 0; at < pixels.length; at += 1)
    pixels[at] = Math.min(255, (pixels[at] as number) + below(9) - 4);
  return sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .png()
    .toBuffer();
}

/** Soft shapes over the whole picture. */
const scene = (): Promise<Buffer> =>
  sharp(Buffer.from(Array.from({ length: 6 * 5 * 3 }, () => below(256))), {
    raw: { width: 6, height: 5, channels: 3 },
  })
    .resize(WIDTH, HEIGHT, { kernel: 'cubic' })
    .png()
    .toBuffer();

const COPIES: ReadonlyArray<(image: Sharp) => Sharp> = [
  (image) => image.jpeg({ quality: 70 }),
  (image) => image.resize(WIDTH / 2).jpeg({ quality: 85 }),
  (image) => image.resize(WIDTH * 2).png(),
  (image) => image.linear(1.08, 0).png(),
];

async function looksOf(images: readonly Buffer[]): Promise<HashGroup[]> {
  const checks = await Promise.all(images.map((bytes) => checkImage(bytes, async () => undefined)));
  return checks.map((check) => {
    const likeness = check.problem === null ? check.facts.likeness : null;
    if (!likeness) throw new Error('an image has no likeness');
    return { ...likeness, images: 1, train: 1, held: 0 };
  });
}
const search = (groups: readonly HashGroup[]) =>
  findNearDuplicates(HashGroups.of(groups), async () => undefined);
const found = async (groups: readonly HashGroup[]) => (await search(groups)).images;

describe.each([
  { kind: 'one object on white', make: () => squares(1, '#fff') },
  { kind: 'two objects on white', make: () => squares(2, '#fff') },
  { kind: 'one object on grainy grey', make: grainy },
  { kind: 'scenes', make: scene },
])('likeness of pictures: $kind', ({ make }) => {
  const COUNT = 30;
  it('sees copies and no other pictures', async () => {
    const images: Buffer[] = [];
    while (images.length < COUNT) images.push(await make());
    const looks = await looksOf(images);
    expect(await found(looks)).toBeLessThanOrEqual(2);
    for (const copy of COPIES) {
      const copies = await looksOf(
        await Promise.all(images.slice(0, 12).map((bytes) => copy(sharp(bytes)).toBuffer())),
      );
      const seen = await Promise.all(
        copies.map(
          async (one, at) =>
            (await found([looks[at] as HashGroup, one])) === 2 ||
            (one.hash === looks[at]?.hash && one.tones === looks[at]?.tones),
        ),
      );
      expect(seen.filter(Boolean).length).toBeGreaterThanOrEqual(11);
    }
  });
});

/** An even ground under a light that falls off to one side, by at most `depth` levels. */
function ground(depth: number, grain: number): Promise<Buffer> {
  const [base, slope] = [100 + below(120), below(depth + 1)];
  const pixels = Buffer.from(
    Array.from({ length: WIDTH * HEIGHT * 3 }, (_, at) => {
      const column = Math.floor(at / 3) % WIDTH;
      return base + Math.round((slope * column) / WIDTH) + below(2 * grain + 1) - grain;
    }),
  );
  return sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .png()
    .toBuffer();
}

it.each([
  { depth: 0, grain: 0 },
  { depth: 12, grain: 0 },
  { depth: 12, grain: 20 },
])('likeness is none of an even ground: $depth levels of shade, $grain of grain', async (how) => {
  for (let made = 0; made < 4; made += 1)
    expect(await checkImage(await ground(how.depth, how.grain), async () => undefined)).toMatchObject({
      facts: { likeness: null },
      problem: null,
    });
});

it('likeness distinguishes pale objects, where it sees them at all', async () => {
  const looks: HashGroup[] = [];
  for (let made = 0; made < 40; made += 1) {
    const picture = await sharp(await squares(1, '#fff'))
      .linear(0.04, 245)
      .png()
      .toBuffer();
    const { facts } = await checkImage(picture, async () => undefined);
    const likeness = facts !== null && 'likeness' in facts ? facts.likeness : null;
    if (likeness) looks.push({ ...likeness, images: 1, train: 1, held: 0 });
  }
  expect(looks.length).toBeGreaterThan(20);
  expect(await found(looks)).toBeLessThanOrEqual(2);
});

/** How pixels have to be stored, so that the orientation makes the picture of them. */
const STORED: Readonly<Record<number, (image: Sharp) => Sharp>> = {
  1: (image) => image,
  2: (image) => image.flop(),
  3: (image) => image.rotate(180),
  4: (image) => image.flip(),
  5: (image) => image.flop().rotate(270),
  6: (image) => image.rotate(270),
  7: (image) => image.flop().rotate(90),
  8: (image) => image.rotate(90),
};

it.each(Object.entries(STORED))(
  'likeness is that of the upright picture: orientation %s',
  async (orientation, store) => {
    const picture = await scene();
    const [look] = await looksOf([picture]);
    const pixels = await store(sharp(picture)).png().toBuffer();
    const stored = await sharp(pixels)
      .withMetadata({ orientation: Number(orientation) })
      .png()
      .toBuffer();
    expect(await sharp(stored).autoOrient().raw().toBuffer()).toEqual(await sharp(picture).raw().toBuffer());
    const [turned] = await looksOf([stored]);
    expect(bitsBetween(look, turned)).toBeLessThanOrEqual(1);
    const isTurned = Number(orientation) > 4;
    const [width, height] = isTurned ? [HEIGHT, WIDTH] : [WIDTH, HEIGHT];
    expect(await checkImage(stored, async () => undefined)).toMatchObject({
      facts: { width, height, orientation: Number(orientation) },
      problem: null,
    });
  },
);

const bitsBetween = (one: HashGroup | undefined, other: HashGroup | undefined): number =>
  [...BigInt.asUintN(64, BigInt(one?.hash ?? 0) ^ BigInt(other?.hash ?? -1)).toString(2)].filter(
    (bit) => bit === '1',
  ).length;

it('compares twenty thousand plain pictures in seconds', async () => {
  const [look] = await looksOf([await squares(1, '#fff')]);
  const plain = Array.from({ length: 20_000 }, (_, at): HashGroup => {
    const tones = Uint8Array.from(look?.tones ?? []);
    for (let n = 0; n < 4; n += 1) tones[below(tones.length)] = at % 256;
    return { hash: '0', tones, images: 1, train: 1, held: 0 };
  });
  const spent = await cpuMsOf(async () => expect((await search(plain)).isComplete).toBe(false));
  expect(spent).toBeLessThan(60_000);
});
