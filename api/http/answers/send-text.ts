import { Readable } from 'node:stream';
import type { Request } from 'express';
import { sendBody } from './send-body.js';

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
  await sendBody(req, async () => {
    const iterator = batches[Symbol.asyncIterator]();
    const first = await iterator.next();
    res.setHeader('Content-Type', attachment.type);
    res.setHeader('Content-Disposition', `attachment; filename="${attachment.filename}"`);
    res.setHeader('Cache-Control', 'no-store');
    const parts = texts(attachment.head, first, iterator, toText);
    return Readable.from(parts, { objectMode: true, highWaterMark: 1 });
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
