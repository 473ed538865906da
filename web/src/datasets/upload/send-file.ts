import { Refused, type PlatformCalls } from './platform-calls';
import { Sha256 } from './sha256';
import type { Failure, FailureCode, KeptSession } from './upload-messages';
import { CHUNK_BYTES, chunkRange, type Dropped, missingChunks } from './upload-plan';

/** Why one file was not taken. */
export class NotTaken extends Error {
  constructor(
    readonly code: FailureCode,
    message: string | null,
  ) {
    super(message ?? code);
  }
}

export function failureOf(error: unknown): Pick<Failure, 'code' | 'message'> {
  if (error instanceof NotTaken)
    return { code: error.code, message: error.message === error.code ? null : error.message };
  if (error instanceof DOMException) return { code: 'changed', message: null };
  return { code: 'refused', message: messageOf(error) };
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface Session {
  readonly upload_id: string;
  readonly chunk_size: number;
  readonly chunk_count: number;
  readonly received: readonly number[];
  readonly state: 'open' | 'assembling' | 'done' | 'failed' | 'expired';
  readonly error: string | null;
  readonly result: {
    readonly created: number;
    readonly skipped: number;
    readonly errors: ReadonlyArray<{ readonly path: string; readonly message: string }>;
  } | null;
}

/** What a session ended with. */
export interface Ended {
  readonly created: number;
  readonly skipped: number;
  readonly errors: ReadonlyArray<{ readonly path: string; readonly message: string }>;
}

const HASH_PIECE = 4 * 1024 * 1024;
const PARALLEL_CHUNKS = 4;
const LOOK_MS = 1_500;

/** @param onBytes gets how many bytes were read since */
export async function sha256Of(file: Blob, onBytes: (bytes: number) => void = () => {}): Promise<string> {
  const hash = new Sha256();
  for (let at = 0; at < file.size; at += HASH_PIECE) {
    const piece = new Uint8Array(await file.slice(at, at + HASH_PIECE).arrayBuffer());
    // The browser's own is many times faster, where the page may use it.
    if (at === 0 && file.size <= HASH_PIECE && globalThis.crypto?.subtle)
      return hexOf(await globalThis.crypto.subtle.digest('SHA-256', piece));
    hash.update(piece);
    onBytes(piece.length);
  }
  return hash.hex();
}

const hexOf = (digest: ArrayBuffer): string =>
  [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** One file in one request. What the platform received is compared with what was read here. */
export async function sendForm(
  calls: PlatformCalls,
  datasetId: string,
  { path, file, size }: Dropped,
): Promise<void> {
  const sent = await calls
    .call<{ sha256: string }>('POST', `/api/v1/datasets/${datasetId}/files`, () => {
      const form = new FormData();
      form.append('file', file, path);
      return { body: form };
    })
    .catch((error: unknown) => {
      throw refusal(error);
    });
  if (size <= CHUNK_BYTES && sent.sha256 !== (await sha256Of(file))) throw new NotTaken('checksum', null);
}

export interface SessionGround {
  readonly calls: PlatformCalls;
  readonly datasetId: string;
  readonly kept: KeptSession | null;
  readonly onSession: (session: KeptSession) => void;
  /** Bytes that the platform has, of those that it had before too. */
  readonly onBytes: (bytes: number) => void;
  readonly onHashing: (share: number | null) => void;
  readonly onAssembling: (isAssembling: boolean) => void;
  readonly sleep: (ms: number) => Promise<void>;
}

/** One file in chunks, going on where an earlier session stopped. */
export async function sendSession(entry: Dropped, ground: SessionGround): Promise<Ended> {
  const { calls, datasetId } = ground;
  const base = `/api/v1/datasets/${datasetId}/uploads`;
  try {
    let session = await opened(entry, ground);
    const place = `${base}/${session.upload_id}`;
    // Completing names chunks that a restart lost after they were acknowledged: they are sent again.
    for (let missing = missingChunks(session.chunk_count, session.received); session.state === 'open'; ) {
      await sendChunks(entry.file, session, missing, place, ground);
      const completed = await complete(calls, place);
      if (Array.isArray(completed)) missing = completed;
      else session = completed;
    }
    ground.onAssembling(true);
    while (session.state === 'assembling') {
      await ground.sleep(LOOK_MS);
      session = await calls.call<Session>('GET', place);
    }
    if (session.state !== 'done' || session.result === null) throw new NotTaken('archive', session.error);
    return session.result;
  } catch (error) {
    throw refusal(error);
  } finally {
    ground.onAssembling(false);
  }
}

async function opened(entry: Dropped, ground: SessionGround): Promise<Session> {
  const { calls, datasetId, kept } = ground;
  const base = `/api/v1/datasets/${datasetId}/uploads`;
  if (kept !== null) {
    const known = await calls.call<Session>('GET', `${base}/${kept.uploadId}`).catch((error: unknown) => {
      if (error instanceof Refused && error.status === 404) return null;
      throw error;
    });
    if (known !== null && known.state !== 'failed' && known.state !== 'expired') {
      ground.onBytes(known.received.length * known.chunk_size);
      return known;
    }
  }
  let read = 0;
  ground.onHashing(0);
  const sha256 = await sha256Of(entry.file, (bytes) => {
    read += bytes;
    ground.onHashing(read / entry.file.size);
  });
  ground.onHashing(null);
  const { path, file } = entry;
  const session = await calls.call<Session>('POST', base, () => ({
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ filename: path, size: file.size, sha256, chunk_size: CHUNK_BYTES }),
  }));
  ground.onSession({ path, size: file.size, modified: file.lastModified, uploadId: session.upload_id });
  return session;
}

async function sendChunks(
  file: File,
  session: Session,
  missing: readonly number[],
  place: string,
  { calls, onBytes }: SessionGround,
): Promise<void> {
  const waiting = [...missing];
  const sender = async () => {
    for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
      const [from, until] = chunkRange(index, session.chunk_size, file.size);
      await calls.call('PUT', `${place}/chunks/${index}`, () => ({
        headers: { 'Content-Type': 'application/octet-stream' },
        body: file.slice(from, until),
      }));
      onBytes(until - from);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_CHUNKS }, sender));
}

/** @returns the session, or the chunks that are still missing */
async function complete(calls: PlatformCalls, place: string): Promise<Session | number[]> {
  try {
    return await calls.call<Session>('POST', `${place}:complete`);
  } catch (error) {
    const missing = error instanceof Refused && (error.detail as { missing?: unknown } | null)?.missing;
    if (Array.isArray(missing) && missing.length > 0) return missing as number[];
    throw error;
  }
}

function refusal(error: unknown): unknown {
  return error instanceof Refused ? new NotTaken('refused', error.message) : error;
}
