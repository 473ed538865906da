import { createHash } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';

export interface Reply {
  readonly status: number;
  /** Without quotes; empty when there is none. */
  readonly etag: string;
  readonly body: Buffer;
}

/** Plain node:http with kept connections: both sides of a comparison are driven by the same client. */
export class BenchClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(private readonly headers: Readonly<Record<string, string>> = {}) {}

  /** @throws Error for any answer but a success: a fast wrong run is no result */
  async send(
    method: string,
    url: string,
    body: Buffer | null = null,
    type = 'application/octet-stream',
  ): Promise<Reply> {
    const pieces: Buffer[] = [];
    const res = await this.exchange(method, url, body, type, (piece) => pieces.push(piece));
    return {
      status: res.statusCode as number,
      etag: String(res.headers.etag ?? '').replaceAll('"', ''),
      body: Buffer.concat(pieces),
    };
  }

  async json<T>(method: string, url: string, body: unknown = null): Promise<T> {
    const { body: text } = await this.send(
      method,
      url,
      body === null ? null : Buffer.from(JSON.stringify(body)),
      'application/json',
    );
    return (text.length === 0 ? null : JSON.parse(text.toString())) as T;
  }

  /** Reads an answer and keeps nothing of it. @returns its bytes */
  async drain(url: string): Promise<number> {
    let bytes = 0;
    await this.exchange('GET', url, null, '', (piece) => {
      bytes += piece.length;
    });
    return bytes;
  }

  async sha256Of(url: string): Promise<string> {
    const hash = createHash('sha256');
    await this.exchange('GET', url, null, '', (piece) => hash.update(piece));
    return hash.digest('hex');
  }

  close(): void {
    this.agent.destroy();
  }

  private exchange(
    method: string,
    url: string,
    body: Buffer | null,
    type: string,
    onPiece: (piece: Buffer) => void,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = {
        ...this.headers,
        ...(body === null ? {} : { 'content-type': type, 'content-length': String(body.length) }),
      };
      const req = request(url, { method, headers, agent: this.agent }, (res) => {
        const failed: Buffer[] = [];
        const isFine = (res.statusCode ?? 500) < 300;
        res.on('data', isFine ? onPiece : (piece: Buffer) => failed.push(piece));
        res.on('end', () =>
          isFine
            ? resolve(res)
            : reject(
                new Error(
                  `${method} ${url.split('?', 1)[0]}: ${res.statusCode} ${Buffer.concat(failed).toString().slice(0, 300)}`,
                ),
              ),
        );
        res.on('error', reject);
      });
      req.on('error', reject);
      req.end(body ?? undefined);
    });
  }
}

/** Runs the work for every index, so many at once. */
export async function eachOf(
  count: number,
  atOnce: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const run = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(count, atOnce) }, run));
}
