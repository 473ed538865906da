import type { Readable } from 'node:stream';

/** How long joining parts may take: gateways over files copy every byte. */
export const JOIN_DEADLINE_S = 600;
/** How long somebody who waits for an answer waits for the list of 10,000 parts. */
export const LIST_DEADLINE_S = 15;

/** What the store knows of one object. */
export interface ObjectInfo {
  readonly key: string;
  readonly sizeBytes: number;
  readonly etag: string;
  readonly modifiedAt: Date;
}

export interface PartInfo {
  /** 1-based, as S3 counts. */
  readonly partNumber: number;
  readonly etag: string;
  readonly sizeBytes: number;
}

/** One part of a multipart upload. */
export interface PartAt {
  readonly uploadId: string;
  readonly partNumber: number;
}

/**
 * Bytes under keys made by the server (`t/<tenant uuid>/<kind>/<uuid>`); names given by people never become keys.
 * All methods throw AppError: `service_unavailable` when the store cannot be reached (calls whose body can be sent again
 * are repeated first), `not_found` for a missing key, `bad_request` when a body has another size than was promised.
 */
export interface ObjectStore {
  /**
   * Streams a body of known size (at most 5 GiB) to one key; nothing is stored when it breaks off.
   * Idempotent: a repeat replaces the object by the same bytes. Only Buffers are repeated by the store itself.
   */
  put(
    key: string,
    body: Readable | Buffer,
    sizeBytes: number,
    options?: PutOptions,
  ): Promise<{ etag: string }>;
  /**
   * Reads an object or the byte range `[start, end]` (inclusive) of it; consume or destroy the stream.
   * A stream that breaks off half-way fails with service_unavailable as well. @throws range_not_satisfiable
   */
  get(
    key: string,
    options?: { range?: { start: number; end: number }; signal?: AbortSignal },
  ): Promise<Readable>;
  /** Null when there is no such object. */
  head(key: string): Promise<ObjectInfo | null>;
  /** Idempotent: a missing key is no error. */
  remove(keys: readonly string[]): Promise<void>;
  /** Pages through all keys below a prefix, in key order. */
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /** A URL that lets its bearer read or write exactly this key, or one part of an upload to it, until it expires. */
  presign(method: 'GET' | 'PUT', key: string, expiresInS: number, part?: PartAt): Promise<string>;
}

export interface PutOptions {
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/** Large objects in parts, which become one when they are joined. Errors are those of `ObjectStore`. */
export interface MultipartStore {
  /** Starts a multipart upload and answers its id. Not idempotent: keep the id in the row. */
  createMultipart(key: string, contentType?: string): Promise<string>;
  /** Streams one part of known size (>= 5 MiB except the last). Idempotent: the last write of a part number wins. */
  putPart(
    key: string,
    uploadId: string,
    partNumber: number,
    body: Readable | Buffer,
    sizeBytes: number,
    signal?: AbortSignal,
  ): Promise<PartInfo>;
  /**
   * The parts an unfinished upload holds, in no order, within LIST_DEADLINE_S. Stores that keep what was replaced list every
   * write of a number, and join whichever is named.
   */
  listParts(key: string, uploadId: string): Promise<PartInfo[]>;
  /** Joins the parts within JOIN_DEADLINE_S. Idempotent: a repeat after success answers the joined object. */
  completeMultipart(key: string, uploadId: string, parts: readonly PartInfo[]): Promise<{ etag: string }>;
  /** Frees the parts. Idempotent. Null: those of every unfinished upload to this key, for whoever lost an id. */
  abortMultipart(key: string, uploadId: string | null): Promise<void>;
}

/** What else a store keeps: parts of multipart uploads that nobody completed or aborted. */
export interface UnfinishedUploads {
  /** Pages through the unfinished multipart uploads below a prefix, with the bytes of their parts; those that end meanwhile are left out. */
  listUnfinished(
    prefix: string,
  ): AsyncIterable<{ readonly key: string; readonly uploadId: string; readonly sizeBytes: number }>;
}
