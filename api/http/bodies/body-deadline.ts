import type { ErrorRequestHandler, RequestHandler } from 'express';
import { AppError } from '../../../core/errors/app-error.js';
import { contentLength } from './chunk-body.js';

export interface BodyPace {
  /** Time allowed for every body, to which the time at `bytesPerS` is added. */
  readonly baseMs: number;
  readonly bytesPerS: number;
  /** While the body is awaited, a byte comes at least so often. */
  readonly idleMs: number;
}

/** 5 GiB may take 23 hours. */
const PACE: BodyPace = { baseMs: 60_000, bytesPerS: 64 * 1024, idleMs: 30_000 };
const LOOKS_WHILE_IDLE = 30;

const tooSlow = () =>
  new AppError(
    'request_timeout',
    'The body came too slowly or not at all; send it again, large files in chunks through an upload session.',
    null,
    { headers: { Connection: 'close' } },
  );

/**
 * Answers 408 to a request whose body stalls, or takes longer than its stated length allows; without a length, than what
 * has come. Its connection ends with the answer, which is how whoever reads the body hears of it. Time in which the reader
 * holds the body back is no stall: a slow store is never taken for a slow sender.
 */
export const bodyDeadline =
  (answer: ErrorRequestHandler, pace = PACE): RequestHandler =>
  (req, res, next) => {
    const length = contentLength(req);
    const hasBody = length === null ? req.headers['transfer-encoding'] !== undefined : length > 0;
    if (!hasBody) return next();
    const { socket } = req;
    const [startedAt, before] = [performance.now(), socket.bytesRead];
    let [movedAt, seen] = [startedAt, before];
    const timer = setInterval(() => {
      // Answered without its body: what is left of it is dropped, and the connection serves the next request.
      if (res.writableEnded || res.destroyed) return stop();
      const now = performance.now();
      const isAwaited = req.readableFlowing === true && req.readableLength === 0;
      if (!isAwaited || socket.bytesRead !== seen) [movedAt, seen] = [now, socket.bytesRead];
      const allowedMs = pace.baseMs + ((length ?? seen - before) / pace.bytesPerS) * 1000;
      if (now - movedAt < pace.idleMs && now - startedAt < allowedMs) return;
      stop();
      // After the answer, Node does not notify the reader when the connection closes.
      res.once('close', () => req.destroy());
      if (!res.headersSent) void answer(tooSlow(), req, res, () => undefined);
      else res.destroy();
    }, pace.idleMs / LOOKS_WHILE_IDLE);
    timer.unref();
    const stop = () => clearInterval(timer);
    req.once('end', stop).once('close', stop);
    next();
  };
