import type { Response } from 'express';
import { whenClosed } from './when-closed.js';

/** A client that reads nothing is cut off here instead of filling our memory. */
export const MAX_BUFFERED_BYTES = 1024 * 1024;

/** One event as it goes over the wire: `event:` and `data:` lines only, no ids, because nothing is ever replayed. */
export function eventFrame(event: string, data: unknown): Buffer {
  // JSON holds no raw line break, so one data line is always enough.
  return Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

const KEEP_ALIVE = Buffer.from(': keep-alive\n\n');

/** The writing side of one event stream. */
export class SseClient {
  private ended = false;

  /** Sends the headers; from here on errors can only end the stream. */
  constructor(private readonly res: Response) {
    res.status(200);
    res.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    res.setHeader('Cache-Control', 'no-store, no-transform');
    res.setHeader('X-Accel-Buffering', 'no');
    res.socket?.setTimeout(0);
    res.socket?.setNoDelay(true);
    res.flushHeaders();
  }

  /** Called once, whoever ended the stream. */
  onClose(action: () => void): void {
    whenClosed(this.res, action);
  }

  /** @returns false when the client was too slow and has been cut off */
  send(frames: Buffer): boolean {
    if (this.ended) return false;
    this.res.write(frames);
    if (this.res.writableLength <= MAX_BUFFERED_BYTES) return true;
    this.ended = true;
    this.res.destroy();
    return false;
  }

  keepAlive(): void {
    this.send(KEEP_ALIVE);
  }

  /** Ends the stream and sends the client the time to reconnect after; null says nothing (it would not be let in). */
  end(retryMs: number | null): void {
    if (this.ended) return;
    this.ended = true;
    this.res.end(retryMs === null ? undefined : `retry: ${Math.round(retryMs)}\n\n`);
    // A client that does not take the rest must not keep the process from stopping.
    setTimeout(() => this.res.destroy(), 1000).unref();
  }
}
