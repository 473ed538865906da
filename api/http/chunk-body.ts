import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { AppError, badRequest, fieldError, unprocessable } from '../../core/errors/app-error.js';

const HIGH_WATER = 512 * 1024;
/** A body that comes slower holds a connection to the store for nothing. Well below what forms need: nothing of it is held in memory. */
const LEAST_BYTES_PER_S = 1024;
/** The pace is judged over so much time that was spent waiting for the sender. */
const WINDOW_MS = 30_000;
const LOOKS = 30;

/** Null when the request states no length; @throws AppError for a malformed one */
export function contentLength(req: IncomingMessage): number | null {
  const header = req.headers['content-length'];
  if (header === undefined || req.headers['transfer-encoding'] !== undefined) return null;
  if (!/^\d{1,15}$/.test(header)) throw unprocessable([fieldError(['header', 'content-length'], 'must be a number of bytes')]);
  return Number(header);
}

/**
 * The request's body as a stream that may be destroyed without taking the connection with it, so that a failing store
 * still leaves the answer a way out: what is left of the body is then read and dropped. A sender that stalls ends it
 * with `request_timeout`, one that leaves with `bad_request`.
 * @param onPiece sees every piece on its way
 * @throws AppError bad_request when the sender has left already
 */
export function detachedBody(req: IncomingMessage, onPiece?: (piece: Buffer) => void, windowMs = WINDOW_MS): PassThrough {
  // Its 'close' came while the caller looked something up, and will not come again.
  if (req.destroyed) throw cutOff();
  const body = new PassThrough({ highWaterMark: HIGH_WATER });
  if (onPiece) req.on('data', onPiece);
  req.pipe(body);
  const stopWatching = watchPace(req, body, windowMs);
  req.once('close', () => {
    if (!req.readableEnded) body.destroy(cutOff());
  });
  body.once('close', () => {
    stopWatching();
    req.unpipe(body);
    if (onPiece) req.off('data', onPiece);
    if (!req.complete) req.resume();
  });
  return body;
}

const cutOff = () => badRequest('The connection was closed before the whole body came; send it again.');

/** The connection goes with the answer: its sender would hold it for as long as it likes. */
const tooSlow = () => new AppError('request_timeout', 'The body came too slowly or not at all; send it again.', null, { headers: { Connection: 'close' } });

/** Time in which the reader holds the body back does not count: a slow store is never taken for a slow sender. */
function watchPace(req: IncomingMessage, body: PassThrough, windowMs: number): () => void {
  let bytes = 0;
  let looks = 0;
  const count = (piece: Buffer) => {
    bytes += piece.length;
  };
  req.on('data', count);
  const timer = setInterval(() => {
    if (body.writableEnded || body.writableNeedDrain) return;
    looks += 1;
    if (looks < LOOKS) return;
    if (bytes < (LEAST_BYTES_PER_S * windowMs) / 1000) body.destroy(tooSlow());
    bytes = 0;
    looks = 0;
  }, windowMs / LOOKS);
  timer.unref();
  return () => {
    clearInterval(timer);
    req.off('data', count);
  };
}
