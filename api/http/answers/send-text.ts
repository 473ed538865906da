import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request } from 'express';

export interface TextAttachment {
  readonly type: string;
  readonly filename: string;
  /** Sent before the first batch. */
  readonly head: string;
}

/**
 * Streams an attachment batch by batch, as fast as the client reads. The first batch is fetched before anything is sent,
 * so that a failure until then is an ordinary error answer; a later one cuts the connection.
 * @returns never a value: the answer has been written, whatever the operation's JSON type is
 */
export async function sendText<B, T>(
  req: Request,
  attachment: TextAttachment,
  batches: AsyncIterable<B>,
  toText: (batch: B) => string,
): Promise<T> {
  const { res } = req;
  if (!res) throw new Error('the request has no response');
  const iterator = batches[Symbol.asyncIterator]();
  const first = await iterator.next();
  res.setHeader('Content-Type', attachment.type);
  res.setHeader('Content-Disposition', `attachment; filename="${attachment.filename}"`);
  res.setHeader('Cache-Control', 'no-store');
  await pipeline(
    Readable.from(texts(attachment.head, first, iterator, toText), { objectMode: true, highWaterMark: 1 }),
    res,
  ).catch((error: NodeJS.ErrnoException) => {
    // The client went away: nobody is left to get an answer.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
  return undefined as T;
}

async function* texts<B>(
  head: string,
  first: IteratorResult<B>,
  rest: AsyncIterator<B>,
  toText: (batch: B) => string,
): AsyncGenerator<string> {
  yield head;
  for (let step = first; step.done !== true; step = await rest.next()) yield toText(step.value);
}
