import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { AppError, badRequest, fieldError, unprocessable } from '../../core/errors/app-error.js';
import { watchPace } from '../../core/load/least-pace.js';

const HIGH_WATER = 512 * 1024;
/** A body that comes slower holds a connection to the store for nothing. Well below what forms need: nothing of it is held in memory. */
const LEAST_BYTES_PER_S = 1024;
/** The pace is judged over so much time that was spent waiting for the sender. */
const WINDOW_MS = 30_000;

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
  const watch = watchPace(
    { bytesPerS: LEAST_BYTES_PER_S, windowMs },
    () => !body.writableEnded && !body.writableNeedDrain,
    () => body.destroy(tooSlow()),
  );
  const count = (piece: Buffer) => watch.count(piece.length);
  req.on('data', count);
  req.once('close', () => {
    if (!req.readableEnded) body.destroy(cutOff());
  });
  body.once('close', () => {
    watch.stop();
    req.off('data', count);
    req.unpipe(body);
    if (onPiece) req.off('data', onPiece);
    if (!req.complete) req.resume();
  });
  return body;
}

const cutOff = () => badRequest('The connection was closed before the whole body came; send it again.');

/** The connection goes with the answer: its sender would hold it for as long as it likes. */
const tooSlow = () => new AppError('request_timeout', 'The body came too slowly or not at all; send it again.', null, { headers: { Connection: 'close' } });
