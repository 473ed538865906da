import type { RequestHandler } from 'express';
import { unavailable } from '../../../core/errors/app-error.js';

/** Lifetime of a count: a flood meets one question a second, not one for each request. */
const COUNTED_MS = 1000;
const RETRY_AFTER_S = 30;

/**
 * Refuses new long work while more than `limit` entries wait for delivery: it would only wait behind them. The
 * description marks operations that start long work with `x-long-work`. Reads are not among them, nor what stops,
 * cancels or deletes, since that makes room.
 * @param waiting how many wait; it stops counting at `most`
 */
export function backlogGuard(waiting: (most: number) => Promise<number>, limit: number): RequestHandler {
  let known = { count: Promise.resolve(0), untilMs: 0 };
  const check = async () => {
    if (Date.now() >= known.untilMs) known = { count: waiting(limit + 1), untilMs: Date.now() + COUNTED_MS };
    // Without a database the request itself says so, with its own error.
    const count = await known.count.catch(() => 0);
    if (count > limit)
      throw unavailable(
        `More than ${limit} pieces of work wait to be started; nothing was changed. Try again later.`,
        undefined,
        RETRY_AFTER_S,
      );
  };
  return (_req, _res, next) => void check().then(() => next(), next);
}
