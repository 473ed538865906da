import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { whenClientLeaves } from '../routing/request-context.js';

/**
 * Streams what `open` gives to the reader, as fast as it is read. What a reader leaves is closed at its source as well, whenever
 * that is, and is no failure; a source that breaks off cuts the connection, so that nobody takes it for the end.
 * @param open its headers are set before it resolves
 */
export async function sendBody(req: Request, open: (left: AbortSignal) => Promise<Readable>): Promise<void> {
  const left = whenClientLeaves(req);
  let body: Readable | null = null;
  try {
    left.throwIfAborted();
    body = await open(left);
    await pipeline(body, req.res as Response);
  } catch (error) {
    body?.destroy();
    if (!left.aborted) throw error;
  }
}
