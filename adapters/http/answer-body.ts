import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { GuardedAnswer } from './guarded-get.js';
import { ShapeError } from './remote-answers.js';
import { sourceFailure } from './source-failures.js';

export const tooMuch = (host: string, what: string): Error =>
  sourceFailure(
    'limit',
    `${host} answers with ${what}, which is not read any further.`,
    'Let the source keep to its page_size, or split the dataset.',
  );

export const tooSlow = (host: string): Error =>
  sourceFailure(
    'timeout',
    `${host} sends the file too slowly to go on with it.`,
    'Check the load of the source and the network between; a file has to come with 16 KiB a second at least.',
  );

const encodingOf = ({ headers }: GuardedAnswer): string =>
  (headers['content-encoding'] ?? 'identity').trim().toLowerCase();

/** Lets the connection of an unwanted body go. */
export const discard = (body: Readable): void => void body.on('error', () => undefined).destroy();

/** Text as it was before compression; only gzip was offered. @throws ShapeError */
export function decompressed(answer: GuardedAnswer): Readable {
  const encoding = encodingOf(answer);
  if (encoding === 'identity') return answer.body;
  if (encoding !== 'gzip') {
    discard(answer.body);
    throw new ShapeError('the answer is compressed in a way that was not offered');
  }
  return pipeline(answer.body, createGunzip(), () => undefined);
}

/** Ends a text that grows beyond the limit, compressed or not, with what was read of it let go. */
export async function* bounded(stream: Readable, limitBytes: number, host: string): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > limitBytes) throw tooMuch(host, `more than ${limitBytes} bytes of text`);
    yield piece;
  }
}

/** Where the body begins. @throws ShapeError when it is not what was asked for */
export function firstByte(answer: GuardedAnswer, asked: number): number {
  if (encodingOf(answer) !== 'identity')
    throw new ShapeError('the file is compressed on the way although it was asked for as it is');
  if (answer.status === 200) return 0;
  const from = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/.exec(answer.headers['content-range'] ?? '')?.[1];
  if (from === undefined || Number(from) !== asked)
    throw new ShapeError('a part of the file came that was not asked for');
  return asked;
}

/** Drops the first bytes of a file whose source knows no ranges. */
class Skip extends Transform {
  constructor(private left: number) {
    super();
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const dropped = Math.min(this.left, piece.length);
    this.left -= dropped;
    done(null, dropped === 0 ? piece : dropped === piece.length ? undefined : piece.subarray(dropped));
  }
}

/** The body after its first bytes, as a stream of its own that lets the connection go when it is destroyed. */
export function withoutFirst(body: Readable, bytes: number): Readable {
  const out = new Skip(bytes);
  body.on('error', (error) => out.destroy(error));
  out.on('close', () => body.destroy());
  return body.pipe(out);
}

/** Calls `count` with what is there already and with the size of every piece that comes, read or not; a listener would make the stream flow. */
export function countArrivals(body: Readable, count: (bytes: number) => void): void {
  count(body.readableLength);
  const push = body.push.bind(body);
  body.push = (piece: Buffer | null) => {
    if (piece !== null) count(piece.length);
    return push(piece);
  };
}
