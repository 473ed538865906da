import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';

export type Endpoint = 'list' | 'manifest' | 'file';

/** What goes wrong with one answer. */
export type Fault =
  /** An answer without a body worth reading: 401, 403, 404, 429, 500, 503, ... `retryAfter` is sent as Retry-After. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: string }
  /** The head comes late. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The body comes in small pieces: `bytes` every `everyMs`. */
  | { readonly kind: 'trickle'; readonly bytes: number; readonly everyMs: number }
  /** The connection is accepted and nothing is ever said. */
  | { readonly kind: 'silence' }
  /** The head comes, then some bytes, then nothing, with the connection open. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  /** The connection breaks in the middle of the body. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  | { readonly kind: 'redirect'; readonly to: string; readonly status?: 301 | 302 | 303 | 307 | 308 }
  /** JSON that never ends: entries without end, or blanks (`filler`). */
  | { readonly kind: 'endless'; readonly of: 'entries' | 'filler' }
  /** Whatever the test wants in place of the answer. */
  | {
      readonly kind: 'body';
      readonly body: string | Buffer;
      readonly headers?: Readonly<Record<string, string>>;
      readonly status?: number;
    }
  | { readonly kind: 'huge-head'; readonly bytes: number }
  /** A small compressed answer of so many bytes. */
  | { readonly kind: 'gzip-bomb'; readonly bytes: number }
  /** The head itself comes byte by byte, one every `everyMs`. */
  | { readonly kind: 'slow-head'; readonly everyMs: number }
  /** Provisional answers (103) without end, one every `everyMs`. */
  | { readonly kind: 'early-hints'; readonly everyMs: number }
  /** Not HTTP at all. */
  | { readonly kind: 'noise' }
  /** Manifests: the sha256 of every file is wrong. Files: bytes of the right number, but others. */
  | { readonly kind: 'wrong-sha256' }
  /** Manifests: sizes are off by so much. Files: so many bytes more (or fewer) than the manifest says. */
  | { readonly kind: 'wrong-size'; readonly by: number }
  /** Files: ranges are ignored, the whole comes with 200. */
  | { readonly kind: 'no-ranges' }
  /** Files: 206 with another part than asked for. */
  | { readonly kind: 'wrong-range' };

export interface FaultRule {
  /** Default: all three. */
  readonly on?: Endpoint;
  /** Files whose path matches; default all. */
  readonly path?: RegExp;
  /** How many requests it strikes; default all. */
  readonly times?: number;
  /** Requests that pass before it strikes; default 0. */
  readonly after?: number;
  readonly fault: Fault;
}

/** Faults that are an answer of their own, whatever was asked for. @returns false for those that bend the real answer */
export async function answerWith(fault: Fault, endpoint: Endpoint, res: ServerResponse): Promise<boolean> {
  switch (fault.kind) {
    case 'status':
      return end(
        res,
        fault.status,
        fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter },
        '{"error":"as the test wants"}',
      );
    case 'redirect':
      return end(res, fault.status ?? 302, { location: fault.to }, '');
    case 'body':
      return end(
        res,
        fault.status ?? 200,
        { 'content-type': 'application/json', ...fault.headers },
        fault.body,
      );
    case 'huge-head':
      return end(res, 200, { 'content-type': 'application/json', 'x-filler': 'x'.repeat(fault.bytes) }, '{}');
    case 'noise':
      res.socket?.end('SSH-2.0-OpenSSH_9.9\r\n');
      return true;
    case 'silence':
      return true;
    case 'slow-head':
      await drip(res, 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'.split(''), fault.everyMs);
      return true;
    case 'early-hints':
      await drip(res, Array(10_000).fill('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'), fault.everyMs);
      return true;
    case 'gzip-bomb':
      await gzipBomb(res, fault.bytes);
      return true;
    case 'endless':
      await endless(res, endpoint, fault.of);
      return true;
    default:
      return false;
  }
}

function end(
  res: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
): true {
  res.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) }).end(body);
  return true;
}

async function drip(res: ServerResponse, pieces: readonly string[], everyMs: number): Promise<void> {
  const { socket } = res;
  for (const piece of pieces) {
    if (!socket || socket.destroyed) return;
    socket.write(piece);
    await sleep(everyMs);
  }
}

const OPENING: Readonly<Record<Endpoint, string>> = {
  list: '{"total":1,"items":[',
  manifest: '{"files":[',
  file: '',
};

async function endless(res: ServerResponse, endpoint: Endpoint, of: 'entries' | 'filler'): Promise<void> {
  res.writeHead(200, { 'content-type': 'application/json' });
  res.write(OPENING[endpoint]);
  const sha256 = 'a'.repeat(64);
  for (let n = 0; !res.destroyed; n += 1) {
    const entry = (at: number) =>
      endpoint === 'list'
        ? `{"id":"d${at}","name":"d"},`
        : `{"path":"f/${at}","size_bytes":1,"sha256":"${sha256}"},`;
    const piece =
      of === 'filler'
        ? ' '.repeat(64 * 1024)
        : Array.from({ length: 500 }, (_, at) => entry(n * 500 + at)).join('');
    await written(res, piece);
  }
}

/** A valid list or manifest with blanks before its end, well compressed. */
async function gzipBomb(res: ServerResponse, bytes: number): Promise<void> {
  res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
  const gzip = createGzip({ level: 9 });
  gzip.pipe(res);
  res.on('close', () => gzip.destroy());
  gzip.write('{"total":0,"items":[],"files":[]');
  const blanks = Buffer.alloc(1024 * 1024, ' ');
  for (let left = bytes; left > 0 && !gzip.destroyed; left -= blanks.length)
    if (!gzip.write(blanks)) await happens(gzip);
  gzip.end('}');
}

const happens = (stream: NodeJS.WritableStream): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done).off('error', done);
      resolve();
    };
    stream.on('drain', done).on('close', done).on('error', done);
  });

async function written(res: ServerResponse, piece: string | Buffer): Promise<void> {
  if (!res.destroyed && !res.write(piece)) await happens(res);
}

/** Sends a body the way a fault says. */
export async function sendBody(
  res: ServerResponse,
  pieces: Iterable<Buffer>,
  fault: Fault | null,
): Promise<void> {
  let left = fault?.kind === 'cut' || fault?.kind === 'stall' ? fault.afterBytes : Number.POSITIVE_INFINITY;
  for (const piece of pieces) {
    if (res.destroyed) return;
    if (fault?.kind === 'trickle') {
      for (let at = 0; at < piece.length && !res.destroyed; at += fault.bytes) {
        await written(res, piece.subarray(at, at + fault.bytes));
        await sleep(fault.everyMs);
      }
      continue;
    }
    await written(res, piece.subarray(0, left));
    left -= piece.length;
    if (left <= 0) break;
  }
  if (fault?.kind === 'stall') return;
  if (fault?.kind === 'cut') {
    // What was written must leave before the connection does.
    await sleep(20);
    res.socket?.destroy();
    return;
  }
  res.end();
}
