import { AppError, conflict, fieldError, unprocessable } from '../../../core/errors/app-error.js';
import type { UploadState } from '../catalog/dataset.types.js';

export const DEFAULT_CHUNK_BYTES = 33_554_432;
export const MIN_CHUNK_BYTES = 65_536;
export const MAX_CHUNKS = 10_000;
/** Smaller parts are refused by stores, the last one excepted. */
export const MIN_PART_BYTES = 5_242_880;
/** A session nobody touches for this long expires. */
export const SESSION_IDLE_DAYS = 7;

export interface ChunkPlan {
  readonly chunkBytes: number;
  readonly chunkCount: number;
  /** True: chunk i is part i + 1 of one multipart upload. False: chunks are objects of their own, joined at the end. */
  readonly isMultipart: boolean;
}

/** The asked chunk size is honoured; it is raised (to whole 64 KiB) only to stay within 10,000 chunks. */
export function planChunks(sizeBytes: number, askedBytes: number | null): ChunkPlan {
  const least = Math.ceil(Math.ceil(sizeBytes / MAX_CHUNKS) / MIN_CHUNK_BYTES) * MIN_CHUNK_BYTES;
  const chunkBytes = Math.max(askedBytes ?? DEFAULT_CHUNK_BYTES, least);
  const chunkCount = Math.ceil(sizeBytes / chunkBytes);
  return {
    chunkBytes,
    chunkCount,
    isMultipart: chunkCount > 0 && (chunkCount === 1 || chunkBytes >= MIN_PART_BYTES),
  };
}

/** Every chunk has the full size but the last, which has the rest. */
export function expectedChunkBytes(
  index: number,
  plan: { sizeBytes: number; chunkBytes: number; chunkCount: number },
): number {
  return index === plan.chunkCount - 1 ? plan.sizeBytes - index * plan.chunkBytes : plan.chunkBytes;
}

/**
 * @param contentLength null when the request states none
 * @throws AppError payload_too_large above the session's chunk size, unprocessable_entity for another wrong size
 */
export function checkChunkSize(
  index: number,
  contentLength: number | null,
  plan: { sizeBytes: number; chunkBytes: number; chunkCount: number },
): number {
  if (index >= plan.chunkCount)
    throw unprocessable([
      fieldError(
        ['path', 'index'],
        plan.chunkCount === 0
          ? 'this session has no chunks: complete it'
          : `must be from 0 to ${plan.chunkCount - 1}`,
      ),
    ]);
  if (contentLength === null)
    throw unprocessable(
      [fieldError(['header', 'content-length'], 'is required')],
      'Send the chunk with a Content-Length header.',
    );
  if (contentLength > plan.chunkBytes)
    throw new AppError(
      'payload_too_large',
      `The chunk is larger than the session's chunk_size of ${plan.chunkBytes} bytes.`,
      { chunk_size: plan.chunkBytes },
    );
  const expected = expectedChunkBytes(index, plan);
  if (contentLength !== expected)
    throw unprocessable(
      [fieldError(['header', 'content-length'], `must be ${expected} for chunk ${index}`)],
      `Chunk ${index} has ${expected} bytes in this session; send exactly these.`,
    );
  return expected;
}

/** Minimum allowance for replaced parts, however small the file: a store may keep them until the upload ends. */
const LEAST_REPLACEABLE_BYTES = 67_108_864;
const REPLACEABLE_TIMES = 4;

/** @throws AppError conflict once the parts sent again are four times the whole, and 64 MiB at least */
export function assertReplaceable(replacedBytes: number, sizeBytes: number): void {
  if (replacedBytes < Math.max(REPLACEABLE_TIMES * sizeBytes, LEAST_REPLACEABLE_BYTES)) return;
  throw conflict(
    'Chunks of this session were sent again too often; complete it with what is there, or open a new one.',
    { replaced_bytes: replacedBytes },
  );
}

/** @throws AppError conflict unless the session takes chunks */
export function assertOpen(state: UploadState, error: string | null): void {
  if (state !== 'open') throw conflict(closedMessage(state, error), { state });
}

export function closedMessage(state: UploadState, error: string | null): string {
  if (state === 'expired') return 'The upload session expired after 7 days without a call; open a new one.';
  if (state === 'failed') return `The upload session failed: ${error ?? 'unknown reason'}. Open a new one.`;
  if (state === 'assembling') return 'The upload session is being assembled and takes no more chunks.';
  return 'The upload session is done; open a new one.';
}

/** Indexes not yet received, in order. */
export function missingChunks(chunkCount: number, received: readonly number[]): number[] {
  const has = new Set(received);
  return Array.from({ length: chunkCount }, (_, index) => index).filter((index) => !has.has(index));
}

/**
 * Acknowledged chunks whose bytes are not among the parts of the store: a repeat came through to a store where the last
 * write of a part wins, and was never acknowledged.
 * @param parts numbered from 1; one that was replaced may be listed beside its successor
 */
export function replacedChunks<C extends { readonly index: number; readonly etag: string }>(
  chunks: readonly C[],
  parts: readonly { readonly partNumber: number; readonly etag: string }[],
): C[] {
  const there = new Set(parts.map(({ partNumber, etag }) => `${partNumber} ${etag}`));
  return chunks.filter(({ index, etag }) => !there.has(`${index + 1} ${etag}`));
}

/** Indexes of the chunks that a session has: those of one that is done became its files, of one that failed or expired nothing is left. */
export function receivedChunks(state: UploadState, chunkCount: number, held: readonly number[]): number[] {
  if (state === 'done') return Array.from({ length: chunkCount }, (_, index) => index);
  return state === 'failed' || state === 'expired' ? [] : [...held];
}
