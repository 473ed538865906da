import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { translatedStream } from '../../core/errors/translated-stream.js';
import { StoreStatusError, translateStoreError } from './store-errors.js';

/** A quiet connection to the store is given up after this long; slow people do not count, the store does. */
const SILENCE_MS = 60_000;

/**
 * Moves bytes by presigned URLs. The S3 client is not used for bodies: over plain http it hashes every payload a second
 * time, and with an unknown size it buffers parts of hundreds of MiB.
 */
export function createTransfer() {
  const agent = new Agent({
    connections: 64,
    pipelining: 1,
    connect: { timeout: 5000 },
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
    keepAliveTimeout: 10_000,
  });

  return {
    /** @returns the entity tag without quotes */
    async put(
      url: string,
      body: Readable | Buffer,
      sizeBytes: number,
      options: { contentType?: string; signal?: AbortSignal },
    ): Promise<string> {
      const headers = {
        'content-length': String(sizeBytes),
        'content-type': options.contentType ?? 'application/octet-stream',
      };
      const response = await request(url, {
        method: 'PUT',
        body: sizeBytes === 0 ? null : body,
        headers,
        dispatcher: agent,
        signal: options.signal ?? null,
      });
      const text = await response.body.text();
      if (response.statusCode !== 200) throw new StoreStatusError(response.statusCode, errorCode(text));
      return String(response.headers.etag ?? '').replaceAll('"', '');
    },

    async get(
      url: string,
      options: { range?: { start: number; end: number }; signal?: AbortSignal },
    ): Promise<Readable> {
      const headers = options.range ? { range: `bytes=${options.range.start}-${options.range.end}` } : {};
      const response = await request(url, {
        method: 'GET',
        headers,
        dispatcher: agent,
        signal: options.signal ?? null,
      });
      if (response.statusCode === 200 || response.statusCode === 206)
        return translatedStream(response.body, translateStoreError);
      throw new StoreStatusError(response.statusCode, errorCode(await response.body.text()));
    },

    close: (): Promise<void> => agent.close(),
  };
}

export type Transfer = ReturnType<typeof createTransfer>;

const errorCode = (xml: string): string => /<Code>([A-Za-z]+)<\/Code>/.exec(xml)?.[1] ?? '';
