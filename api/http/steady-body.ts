import type { Readable } from 'node:stream';

/** A body that comes slower is given up, since it holds memory and a connection for as long as it comes. */
const LEAST_BYTES_PER_S = 16 * 1024;
/** The pace is judged over so much time that was spent waiting for the sender. */
const WINDOW_MS = 30_000;
const LOOKS = 30;

/**
 * Passes a body on, and destroys it with `tooSlow()` once its sender keeps it waiting. Time in which the reader holds the
 * body back does not count: a slow store is never taken for a slow sender.
 */
export async function* steadyBody(body: Readable, tooSlow: () => Error, windowMs = WINDOW_MS): AsyncGenerator<Buffer> {
  const least = (LEAST_BYTES_PER_S * windowMs) / 1000;
  let bytes = 0;
  let looks = 0;
  let isAwaited = true;
  const timer = setInterval(() => {
    if (!isAwaited) return;
    looks += 1;
    if (looks < LOOKS) return;
    if (bytes < least) body.destroy(tooSlow());
    bytes = 0;
    looks = 0;
  }, windowMs / LOOKS);
  timer.unref();
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      bytes += piece.length;
      isAwaited = false;
      yield piece;
      isAwaited = true;
    }
  } finally {
    clearInterval(timer);
  }
}
