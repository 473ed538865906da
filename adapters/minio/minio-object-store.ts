import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import {
  JOIN_DEADLINE_S,
  LIST_DEADLINE_S,
  type MultipartStore,
  type ObjectInfo,
  type ObjectStore,
  type PartAt,
  type PartInfo,
  type PutOptions,
  type UnfinishedUploads,
} from '../../core/ports/object-store.js';
import { checkKey } from './object-key.js';
import { PartsClient } from '../library-patches/parts-client.js';
import { withDeadline, withRetry } from './retry.js';
import { isMissing, NO_BUCKET, StoreStatusError, translated, translateStoreError } from './store-errors.js';
import type { StoreCredentials } from '../library-patches/store-credentials.js';
import { credentialsOf, type ObjectStoreOptions } from './store-options.js';
import { createTransfer, type Transfer } from './transfer.js';

/** A URL for our own transfer lives only as long as its connection needs to be made. */
const OWN_URL_S = 900;
const REMOVE_BATCH = 1000;

export type ManagedObjectStore = ObjectStore &
  MultipartStore &
  UnfinishedUploads & {
    /** Makes the bucket when it is missing. Idempotent; safe to run by several processes at once. */
    ensureBucket(): Promise<void>;
    /** Throws when the store does not answer. */
    ping(): Promise<void>;
    close(): Promise<void>;
  };

/** The object store over any S3: control calls by the S3 client, bodies by presigned URLs. */
export function createObjectStore(options: ObjectStoreOptions): ManagedObjectStore {
  return new MinioObjectStore(options);
}

class MinioObjectStore implements ManagedObjectStore {
  private readonly client: PartsClient;
  private readonly agent: HttpAgent;
  private readonly transfer: Transfer = createTransfer();
  private readonly bucket: string;
  private readonly credentials: StoreCredentials;

  constructor(private readonly options: ObjectStoreOptions) {
    const url = new URL(options.endpoint);
    const useSSL = url.protocol === 'https:';
    this.bucket = options.bucket;
    this.credentials = credentialsOf(options);
    this.agent = new (useSSL ? HttpsAgent : HttpAgent)({
      keepAlive: true,
      maxSockets: 32,
      keepAliveMsecs: 10_000,
    });
    this.client = new PartsClient({
      endPoint: url.hostname,
      port: url.port ? Number(url.port) : useSSL ? 443 : 80,
      useSSL,
      credentialsProvider: this.credentials,
      region: options.region,
      pathStyle: options.isVirtualHost !== true,
      transportAgent: this.agent,
      retryOptions: { disableRetry: true },
    });
  }

  async put(
    key: string,
    body: Readable | Buffer,
    sizeBytes: number,
    options: PutOptions = {},
  ): Promise<{ etag: string }> {
    checkKey(key);
    return { etag: await this.send('PUT', key, {}, body, sizeBytes, options) };
  }

  async get(
    key: string,
    options: { range?: { start: number; end: number }; signal?: AbortSignal } = {},
  ): Promise<Readable> {
    checkKey(key);
    return translated(() =>
      withRetry(async () => this.transfer.get(await this.url('GET', key), options), options.signal),
    );
  }

  async head(key: string): Promise<ObjectInfo | null> {
    checkKey(key);
    try {
      const found = await this.control(() => this.client.statObject(this.bucket, key));
      return { key, sizeBytes: found.size, etag: found.etag, modifiedAt: found.lastModified };
    } catch (error) {
      if (!isMissing((error as Error).cause ?? error)) throw error;
      // The answer to HEAD has no body that could say so.
      if (await this.control(() => this.client.bucketExists(this.bucket))) return null;
      throw translateStoreError(new StoreStatusError(404, NO_BUCKET));
    }
  }

  async remove(keys: readonly string[]): Promise<void> {
    keys.forEach(checkKey);
    for (let at = 0; at < keys.length; at += REMOVE_BATCH) {
      const batch = keys.slice(at, at + REMOVE_BATCH);
      const answers = await this.control(() => this.client.removeObjects(this.bucket, [...batch]));
      const refused = answers
        .map((answer) => answer?.Error)
        .find((problem) => problem !== undefined && problem.Code !== 'NoSuchKey');
      if (refused)
        throw translateStoreError(
          Object.assign(new Error('the object store did not remove a key'), {
            code: refused.Code ?? 'InternalError',
          }),
        );
    }
  }

  async *list(prefix: string): AsyncIterable<ObjectInfo> {
    if (prefix !== '') checkKey(prefix);
    try {
      for await (const item of this.client.listObjectsV2(this.bucket, prefix, true)) {
        if (item.name !== undefined)
          yield {
            key: item.name,
            sizeBytes: item.size,
            etag: item.etag ?? '',
            modifiedAt: item.lastModified ?? new Date(0),
          };
      }
    } catch (error) {
      throw translateStoreError(error);
    }
  }

  async createMultipart(key: string, contentType = 'application/octet-stream'): Promise<string> {
    checkKey(key);
    return this.control(() =>
      this.client.initiateNewMultipartUpload(this.bucket, key, { 'content-type': contentType }),
    );
  }

  async putPart(
    key: string,
    uploadId: string,
    partNumber: number,
    body: Readable | Buffer,
    sizeBytes: number,
    signal?: AbortSignal,
  ): Promise<PartInfo> {
    checkKey(key);
    const etag = await this.send(
      'PUT',
      key,
      { partNumber: String(partNumber), uploadId },
      body,
      sizeBytes,
      signal ? { signal } : {},
    );
    return { partNumber, etag, sizeBytes };
  }

  async listParts(key: string, uploadId: string): Promise<PartInfo[]> {
    checkKey(key);
    const listed = await translated(() =>
      withDeadline(
        withRetry(() => this.client.partsOf(this.bucket, key, uploadId)),
        LIST_DEADLINE_S * 1000,
      ),
    );
    return listed.map(({ part, etag, size }) => ({ partNumber: part, etag, sizeBytes: size }));
  }

  async completeMultipart(
    key: string,
    uploadId: string,
    parts: readonly PartInfo[],
  ): Promise<{ etag: string }> {
    checkKey(key);
    const etags = [...parts]
      .sort((a, b) => a.partNumber - b.partNumber)
      .map(({ partNumber, etag }) => ({ part: partNumber, etag }));
    try {
      const joined = await withDeadline(
        this.client.completeMultipartUpload(this.bucket, key, uploadId, etags),
        JOIN_DEADLINE_S * 1000,
      );
      return { etag: joined.etag.replaceAll('"', '') };
    } catch (error) {
      // Some stores forget the upload once it is joined: an object of the full size is then the earlier success.
      const found = isMissing(error) ? await this.head(key) : null;
      if (found?.sizeBytes === parts.reduce((sum, part) => sum + part.sizeBytes, 0))
        return { etag: found.etag };
      throw translateStoreError(error);
    }
  }

  async abortMultipart(key: string, uploadId: string | null): Promise<void> {
    checkKey(key);
    const ids = uploadId === null ? await this.control(() => this.unfinishedUploads(key)) : [uploadId];
    for (const id of ids) {
      try {
        await this.control(() => this.client.abortMultipartUpload(this.bucket, key, id));
      } catch (error) {
        if (!isMissing((error as Error).cause ?? error)) throw error;
      }
    }
  }

  async *listUnfinished(prefix: string): AsyncIterable<{ key: string; uploadId: string; sizeBytes: number }> {
    checkKey(prefix);
    try {
      for await (const { key, uploadId } of this.client.unfinished(this.bucket, prefix)) {
        const sizeBytes = await this.partBytes(key, uploadId);
        if (sizeBytes !== null) yield { key, uploadId, sizeBytes };
      }
    } catch (error) {
      throw translateStoreError(error);
    }
  }

  /** Bytes of an upload's parts; null where it was completed or aborted meanwhile. */
  private async partBytes(key: string, uploadId: string): Promise<number | null> {
    try {
      const parts = await this.client.partsOf(this.bucket, key, uploadId);
      return parts.reduce((sum, part) => sum + part.size, 0);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  private async unfinishedUploads(key: string): Promise<string[]> {
    const ids: string[] = [];
    for await (const upload of this.listUnfinished(key)) if (upload.key === key) ids.push(upload.uploadId);
    return ids;
  }

  async presign(method: 'GET' | 'PUT', key: string, expiresInS: number, part?: PartAt): Promise<string> {
    checkKey(key);
    const query = part && { uploadId: part.uploadId, partNumber: String(part.partNumber) };
    // An address dies with the keys that signed it, whatever it says of itself.
    const leftS = await this.credentials.remainingS();
    return this.url(method, key, Math.max(1, Math.min(expiresInS, leftS ?? expiresInS)), query);
  }

  async ensureBucket(): Promise<void> {
    if (await this.control(() => this.client.bucketExists(this.bucket))) return;
    try {
      await this.control(() => this.client.makeBucket(this.bucket, this.options.region));
    } catch (error) {
      const code = String(
        ((error as Error).cause as { code?: unknown } | undefined)?.code ??
          (error as { code?: unknown }).code,
      );
      if (code !== 'BucketAlreadyOwnedByYou' && code !== 'BucketAlreadyExists') throw error;
    }
  }

  async ping(): Promise<void> {
    await translated(() => withDeadline(this.client.bucketExists(this.bucket), 3000));
  }

  async close(): Promise<void> {
    this.agent.destroy();
    await this.transfer.close();
  }

  private async send(
    method: 'PUT',
    key: string,
    query: Record<string, string>,
    body: Readable | Buffer,
    sizeBytes: number,
    options: PutOptions,
  ): Promise<string> {
    const once = async () =>
      this.transfer.put(await this.url(method, key, OWN_URL_S, query), body, sizeBytes, options);
    // A stream can be read once only; the one who made it must make it again.
    return translated(() => (Buffer.isBuffer(body) ? withRetry(once, options.signal) : once()));
  }

  private url(
    method: 'GET' | 'PUT',
    key: string,
    expiresInS = OWN_URL_S,
    query: Record<string, string> = {},
  ): Promise<string> {
    return this.client.presignedUrl(method, this.bucket, key, expiresInS, query);
  }

  private control<T>(call: () => Promise<T>): Promise<T> {
    return translated(() => withRetry(() => withDeadline(call())));
  }
}
