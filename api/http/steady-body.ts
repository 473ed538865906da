import type { Readable } from 'node:stream';
import { watchPace } from '../../core/load/least-pace.js';

/** A body that comes slower is given up, since it holds memory and a connection for as long as it comes. */
const LEAST_BYTES_PER_S = 16 * 1024;
/** The pace is judged over so much time that was spent waiting for the sender. */
const WINDOW_MS = 30_000;

/**
 * Passes a body on, and destroys it with `tooSlow()` once its sender keeps it waiting. Time in which the reader holds the
 * body back does not count: a slow store is never taken for a slow sender.
 */
export async function* steadyBody(body: Readable, tooSlow: () => Error, windowMs = WINDOW_MS): AsyncGenerator<Buffer> {
  let isAwaited = true;
  const watch = watchPace(
    { bytesPerS: LEAST_BYTES_PER_S, windowMs },
    () => isAwaited,
    () => body.destroy(tooSlow()),
  );
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      watch.count(piece.length);
      isAwaited = false;
      yield piece;
      isAwaited = true;
    }
  } finally {
    watch.stop();
  }
}
