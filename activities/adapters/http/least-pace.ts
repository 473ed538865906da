import type { Readable } from 'node:stream';

export interface Pace {
  readonly bytesPerS: number;
  /** The pace is judged over so much time that was spent waiting for the sender. */
  readonly windowMs: number;
}

const LOOKS_PER_WINDOW = 30;

/**
 * Calls `tooSlow` once when a body comes slower than the pace. Time in which the reader holds the body back does not
 * count, so that a slow store is never taken for a slow source.
 */
export function expectPace(body: Readable, { bytesPerS, windowMs }: Pace, tooSlow: () => void): void {
  const everyMs = windowMs / LOOKS_PER_WINDOW;
  const least = (bytesPerS * windowMs) / 1000;
  let bytes = 0;
  let looks = 0;
  const timer = setInterval(() => {
    if (body.isPaused()) return;
    looks += 1;
    if (looks < LOOKS_PER_WINDOW) return;
    if (bytes < least) {
      clearInterval(timer);
      tooSlow();
    }
    bytes = 0;
    looks = 0;
  }, everyMs);
  timer.unref();
  body.on('data', (piece: Buffer) => {
    bytes += piece.length;
  });
  for (const event of ['end', 'error', 'close']) body.once(event, () => clearInterval(timer));
}
