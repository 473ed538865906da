import sharp, { type Metadata, type Sharp } from 'sharp';
import type { ImageCheck, ImageFacts, Likeness } from '../../core/ports/image-decoder.js';
import { undecodedReason } from '../../formats/images/image-type.js';
import { isCutOff } from './cut-off.js';
import {
  HASH_COLUMNS,
  HASH_ROWS,
  isQuarterTurn,
  likenessOf,
  shrink,
  type Size,
  tonesOf,
  uprightTones,
} from './difference-hash.js';

/** 50 megapixels: 200 MB when decoded as RGBA, the worst that one image may cost. */
export const MAX_PIXELS = 50_000_000;
const MAX_DECODED_BYTES = 4 * MAX_PIXELS;
/** Images of more decoded bytes are decoded one at a time, when their format has to be held whole. */
const HEAVY_BYTES = 48_000_000;
const PREVIEW_QUALITY = 80;
const DECODED = new Set(['png', 'jpeg', 'webp', 'gif', 'tiff', 'heif']);
const LOADERS = ['Png', 'Jpeg', 'Webp', 'Nsgif', 'Tiff', 'Heif'];
const HEIC = 'HEIC (HEVC) is not decoded; convert it to JPEG or AVIF';
const BYTES_OF_DEPTH: Readonly<Record<string, number>> = {
  uchar: 1,
  char: 1,
  ushort: 2,
  short: 2,
  uint: 4,
  int: 4,
  float: 4,
  complex: 8,
  double: 8,
  dpcomplex: 16,
};

/** Raster types alone, never vector images; every image by one thread, without a cache. Call it once in a process. */
export function limitDecoding(): void {
  sharp.concurrency(1);
  sharp.cache(false);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS.map((name) => `VipsForeignLoad${name}`) });
}

const open = (bytes: Buffer): Sharp =>
  sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', sequentialRead: true, animated: false });

interface Inspection {
  readonly width: number;
  readonly height: number;
  /** EXIF orientation, from 1 to 8; 1 where it says nothing. */
  readonly orientation: number;
  readonly isLarge: boolean;
  /** Read line by line, whatever its size. */
  readonly isSequential: boolean;
  readonly problem: string | null;
}

/** Null for HEIC of which not even the header is known. */
async function readHeader(bytes: Buffer): Promise<Metadata | null> {
  try {
    return await sharp(bytes, { limitInputPixels: false, failOn: 'error' }).metadata();
  } catch (error) {
    // Major brands of ISO/IEC 23008-12, annex B: heic, heix, heim, heis of images, hevc, hevx, hevm, hevs of sequences.
    if (/^ftyphe(ic|ix|im|is|vc|vx|vm|vs)/.test(bytes.toString('latin1', 4, 12))) return null;
    throw error;
  }
}

/** The header alone: bounds are checked before a pixel is decoded. */
async function inspect(bytes: Buffer): Promise<Inspection | string> {
  const reason = undecodedReason(bytes);
  if (reason !== null) return reason;
  const header = await readHeader(bytes);
  if (header === null) return HEIC;
  const { width, height, format, compression, channels, depth, isProgressive, orientation = 1 } = header;
  if (!DECODED.has(format))
    return 'its format is not supported; convert it to PNG, JPEG, WebP, GIF, TIFF or AVIF';
  const cost = width * height * channels * (BYTES_OF_DEPTH[depth] ?? 8);
  const problem =
    compression === 'hevc'
      ? HEIC
      : width * height > MAX_PIXELS
        ? `it has ${width} x ${height} pixels, more than ${MAX_PIXELS}`
        : cost > MAX_DECODED_BYTES
          ? `its pixels take ${cost} bytes, more than ${MAX_DECODED_BYTES}; store it with fewer channels or 8 bits`
          : null;
  return {
    width,
    height,
    orientation,
    isLarge: cost > HEAVY_BYTES,
    isSequential: (format === 'jpeg' || format === 'png') && !isProgressive,
    problem,
  };
}

/** @param turn resolves when a heavy image may be decoded */
export async function checkImage(bytes: Buffer, turn: () => Promise<void>): Promise<ImageCheck> {
  let size: Omit<ImageFacts, 'likeness'> | null = null;
  try {
    const inspected = await inspect(bytes);
    if (typeof inspected === 'string') return { facts: null, problem: inspected };
    const { width, height, orientation, problem } = inspected;
    size = { width, height, orientation };
    if (problem !== null) return { facts: size, problem };
    if (inspected.isLarge && !inspected.isSequential) await turn();
    const likeness = await lookAt(bytes, inspected);
    return { facts: { ...size, likeness }, problem: null };
  } catch (error) {
    return { facts: size, problem: `it cannot be decoded (${reasonOf(error, bytes)})` };
  }
}

/** Pixels of the copy that the engine makes, for each pixel of the smallest one. */
const COPY_SCALE = 16;

/** Few pixels come out, and still every line is decoded, so that cut and damaged files show. */
async function lookAt(bytes: Buffer, { width, height, orientation }: Inspection): Promise<Likeness | null> {
  const isTurned = isQuarterTurn(orientation);
  const small: Size = {
    width: isTurned ? HASH_ROWS : HASH_COLUMNS,
    height: isTurned ? HASH_COLUMNS : HASH_ROWS,
  };
  const copy: Size = {
    width: Math.min(width, COPY_SCALE * small.width),
    height: Math.min(height, COPY_SCALE * small.height),
  };
  // A part named, be it the whole, is read in full size: decoders of JPEG and WebP shrink by rounded sizes, which moves the picture.
  const { data, info } = await open(bytes)
    .extract({ left: 0, top: 0, width, height })
    .resize(copy.width, copy.height, { fit: 'fill' })
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  if (width < small.width || height < small.height) return null;
  return likenessOf(uprightTones(shrink(tonesOf(data, info.channels), copy, small), orientation));
}

/** @returns the copy, or why there is none */
export async function previewImage(
  bytes: Buffer,
  maxSide: number,
  turn: () => Promise<void>,
): Promise<Buffer | string> {
  try {
    const inspected = await inspect(bytes);
    if (typeof inspected === 'string') return inspected;
    if (inspected.problem !== null) return inspected.problem;
    // Turning an image upright takes the whole of it.
    if (inspected.isLarge) await turn();
    return await open(bytes)
      .rotate()
      .resize(maxSide, maxSide, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: PREVIEW_QUALITY })
      .toBuffer();
  } catch (error) {
    return `the image cannot be decoded (${reasonOf(error, bytes)})`;
  }
}

/** The first line only, without paths or addresses. */
function reasonOf(error: unknown, bytes: Buffer): string {
  const { message } = error as Error;
  if (isCutOff(bytes, message)) return 'the file is cut off: its end is missing';
  return (message.split('\n')[0] ?? 'unknown reason').replace(/[^\x20-\x7e]/g, '?').slice(0, 120);
}
