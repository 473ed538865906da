import { connect, type Socket } from 'node:net';
import type { LoadOptions, LoadResult } from './load.types.js';

const HEAD_END = Buffer.from('\r\n\r\n');

export interface LoopOptions {
  readonly url: string;
  readonly connections: number;
  /** The next whole request of a connection; null: it has no more. */
  readonly next: (connection: number) => Buffer | null;
  /** Gets how long each answer took, in milliseconds. */
  readonly onAnswer?: (ms: number) => void;
}

/** The load of `measureLoad` where wrk is not installed. */
export function runNetLoad(options: Omit<LoadOptions, 'servers'>): Promise<LoadResult> {
  const until = Date.now() + options.seconds * 1000;
  const request = requestOf('GET', options.url, options.headers);
  return runLoop({
    ...{ url: options.url, connections: options.connections },
    next: () => (Date.now() < until ? request : null),
  });
}

/** The bytes of a request. @param body sent with its length; null: none */
export function requestOf(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer | null = null,
): Buffer {
  const { host, pathname, search } = new URL(url);
  const length = body === null ? {} : { 'Content-Length': String(body.length) };
  const lines = Object.entries({ Host: host, ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = Buffer.from(`${method} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return body === null ? head : Buffer.concat([head, body]);
}

/** Closed-loop over raw connections: each sends its next request when the answer is there, which has to state its Content-Length. */
export async function runLoop(options: LoopOptions): Promise<LoadResult> {
  const results = await Promise.all(
    Array.from({ length: options.connections }, (_, connection) => runConnection(options, connection)),
  );
  return results.reduce((sum, one) => ({
    requests: sum.requests + one.requests,
    failures: sum.failures + one.failures,
  }));
}

function runConnection({ url, next, onAnswer }: LoopOptions, connection: number): Promise<LoadResult> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const count = { requests: 0, failures: 0 };
    let pending: Buffer = Buffer.alloc(0);
    let sentAt = 0;
    const send = () => {
      const request = next(connection);
      sentAt = performance.now();
      if (request === null) socket.end();
      else socket.write(request);
    };
    const socket: Socket = connect(Number(port), hostname, send);
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const answer = readAnswer(pending);
      if (answer === null) return;
      pending = pending.subarray(answer.length);
      count.requests += 1;
      if (!answer.succeeded) count.failures += 1;
      onAnswer?.(performance.now() - sentAt);
      send();
    });
    socket.on('error', () => {
      count.failures += 1;
    });
    socket.on('close', () => resolve(count));
  });
}

/** Null while the answer is not whole. */
export function readAnswer(bytes: Buffer): { length: number; succeeded: boolean } | null {
  const headLength = bytes.indexOf(HEAD_END);
  if (headLength < 0) return null;
  const head = bytes.toString('latin1', 0, headLength);
  const length = headLength + HEAD_END.length + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  return bytes.length < length ? null : { length, succeeded: /^HTTP\/1\.1 2\d\d/.test(head) };
}
