import type { IncomingMessage } from 'node:http';
import { AppError } from '../../core/errors/app-error.js';
import { watchPace } from '../../core/load/least-pace.js';

/** A body that comes slower holds a connection for nothing, and nothing of it is held in memory; what is, asks for more. */
const LEAST_BYTES_PER_S = 1024;
/** The pace is judged over so much time that was spent waiting for the sender. */
export const SENDER_WINDOW_MS = 30_000;

/**
 * Watches the pace of a body that flows already, or will at once: listening sets it flowing.
 * @param isAwaited whether the sender is being waited for at this moment
 * @param tooSlow gets `request_timeout`, whose answer ends the connection: its sender would hold it for as long as it likes
 * @returns ends the watch, which also the end of the request does
 */
export function watchSender(req: IncomingMessage, isAwaited: () => boolean, tooSlow: (error: AppError) => void, windowMs = SENDER_WINDOW_MS): () => void {
  const slow = () => tooSlow(new AppError('request_timeout', 'The body came too slowly or not at all; send it again.', null, { headers: { Connection: 'close' } }));
  const watch = watchPace({ bytesPerS: LEAST_BYTES_PER_S, windowMs }, isAwaited, slow);
  const count = (piece: Buffer) => watch.count(piece.length);
  const stop = () => {
    watch.stop();
    req.off('data', count);
  };
  req.on('data', count);
  req.once('end', stop).once('close', stop);
  return stop;
}
