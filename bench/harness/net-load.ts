import { connect, type Socket } from 'node:net';
import type { LoadOptions, LoadResult } from './load.types.js';

const HEAD_END = Buffer.from('\r\n\r\n');

/** The load of `measureLoad` where wrk is not installed. Reads answers that state their Content-Length. */
export async function runNetLoad(options: Omit<LoadOptions, 'servers'>): Promise<LoadResult> {
  const until = Date.now() + options.seconds * 1000;
  const results = await Promise.all(
    Array.from({ length: options.connections }, () => runConnection(options, until)),
  );
  return results.reduce((sum, one) => ({
    requests: sum.requests + one.requests,
    failures: sum.failures + one.failures,
  }));
}

function runConnection(options: Omit<LoadOptions, 'servers'>, until: number): Promise<LoadResult> {
  const { hostname, port, pathname, host, search } = new URL(options.url);
  const lines = Object.entries({ Host: host, ...options.headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const request = Buffer.from(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return new Promise((resolve) => {
    const count = { requests: 0, failures: 0 };
    let pending: Buffer = Buffer.alloc(0);
    const socket: Socket = connect(Number(port), hostname, () => socket.write(request));
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const answer = readAnswer(pending);
      if (answer === null) return;
      pending = pending.subarray(answer.length);
      count.requests += 1;
      if (!answer.succeeded) count.failures += 1;
      if (Date.now() >= until) socket.end();
      else socket.write(request);
    });
    socket.on('error', () => {
      count.failures += 1;
    });
    socket.on('close', () => resolve(count));
  });
}

/** Null while the answer is not whole. */
function readAnswer(bytes: Buffer): { length: number; succeeded: boolean } | null {
  const headLength = bytes.indexOf(HEAD_END);
  if (headLength < 0) return null;
  const head = bytes.toString('latin1', 0, headLength);
  const length = headLength + HEAD_END.length + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  return bytes.length < length ? null : { length, succeeded: /^HTTP\/1\.1 2\d\d/.test(head) };
}
