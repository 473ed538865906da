import sharp, { type Sharp } from 'sharp';
import { fieldError, unprocessable } from '../../../core/errors/app-error.js';
import type { ImageCheck, ImageDecoder } from '../../../core/ports/image-decoder.js';

/** 50 megapixels: 200 MB when decoded as RGBA, the worst that one image may cost. */
export const MAX_PIXELS = 50_000_000;
/** Images decoded at the same time in one process. */
const MAX_AT_ONCE = 2;
const PREVIEW_QUALITY = 80;

/** Raster types alone; vector images are never rendered. Every image is decoded by one thread, without a cache. */
export function createImageDecoder(): ImageDecoder {
  sharp.concurrency(1);
  sharp.cache(false);
  const limited = limiter(MAX_AT_ONCE);
  return {
    check: (bytes) => limited(() => check(bytes)),
    preview: (bytes, maxSide) => limited(() => preview(bytes, maxSide)),
  };
}

const DECODED = new Set(['png', 'jpeg', 'webp', 'gif', 'tiff', 'heif']);

const open = (bytes: Buffer): Sharp => sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', sequentialRead: true, animated: false });

async function check(bytes: Buffer): Promise<ImageCheck> {
  let facts: ImageCheck['facts'] = null;
  try {
    // The header alone: bounds are checked before a pixel is decoded.
    const { width, height, format } = await sharp(bytes, { limitInputPixels: false, failOn: 'error' }).metadata();
    if (!DECODED.has(format)) return { facts, problem: 'its format is not supported; convert it to PNG, JPEG, WebP, GIF, TIFF or AVIF' };
    facts = { width, height };
    if (width * height > MAX_PIXELS) return { facts, problem: `it has ${width} x ${height} pixels, more than ${MAX_PIXELS}` };
    // One pixel out still decodes every line, so cut and damaged files show.
    await open(bytes).resize(1, 1, { fit: 'fill', kernel: 'nearest', fastShrinkOnLoad: false }).raw().toBuffer();
    return { facts, problem: null };
  } catch (error) {
    return { facts, problem: `it cannot be decoded (${reasonOf(error)})` };
  }
}

async function preview(bytes: Buffer, maxSide: number): Promise<Buffer> {
  try {
    return await open(bytes).rotate().resize(maxSide, maxSide, { fit: 'inside', withoutEnlargement: true }).webp({ quality: PREVIEW_QUALITY }).toBuffer();
  } catch (error) {
    throw unprocessable([fieldError(['query', 'variant'], 'preview is not possible for this file')], `No preview can be made: the image cannot be decoded (${reasonOf(error)}).`);
  }
}

/** The first line only, without paths or addresses. */
const reasonOf = (error: unknown): string => ((error as Error).message.split('\n')[0] ?? 'unknown reason').replace(/[^\x20-\x7e]/g, '?').slice(0, 120);

function limiter(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: Array<() => void> = [];
  return async (work) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
}
