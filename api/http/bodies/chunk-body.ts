import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { badRequest, fieldError, unprocessable } from '../../../core/errors/app-error.js';

const HIGH_WATER = 512 * 1024;

/** Null when the request states no length; @throws AppError for a malformed one */
export function contentLength(req: IncomingMessage): number | null {
  const header = req.headers['content-length'];
  if (header === undefined || req.headers['transfer-encoding'] !== undefined) return null;
  if (!/^\d{1,15}$/.test(header))
    throw unprocessable([fieldError(['header', 'content-length'], 'must be a number of bytes')]);
  return Number(header);
}

/**
 * The request's body as a stream that may be destroyed without taking the connection with it, so that a failing store
 * still leaves the answer a way out: what is left of the body is then read and dropped. A sender that leaves ends it with
 * `bad_request`.
 * @throws AppError bad_request when the sender has left already
 */
export function detachedBody(req: IncomingMessage): PassThrough {
  // Its 'close' came while the caller looked something up, and will not come again.
  if (req.destroyed) throw cutOff();
  const body = new PassThrough({ highWaterMark: HIGH_WATER });
  req.pipe(body);
  req.once('close', () => {
    if (!req.readableEnded) body.destroy(cutOff());
  });
  body.once('close', () => {
    req.unpipe(body);
    if (!req.complete) req.resume();
  });
  return body;
}

const cutOff = () => badRequest('The connection was closed before the whole body came; send it again.');
