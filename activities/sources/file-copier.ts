import { Readable } from 'node:stream';
import type { ObjectStore, PartInfo } from '../../core/ports/object-store.js';
import { type FileType, recognizeFile } from '../../models/datasets/file-type.rules.js';
import { compareCopy } from '../../models/sources/dataset-sync.rules.js';
import { PARTS_FROM_BYTES, type SyncEntry } from '../../models/sources/sync-entry.repository.js';
import { digestObject } from '../../models/objects/object-access.js';
import { unlessAborted } from '../support/unless-aborted.js';
import { type RemotePlace, RemoteReader } from './remote-reader.js';
import { FileTrouble } from './source-trouble.js';

export interface CopyDeps {
  readonly place: RemotePlace;
  readonly objects: ObjectStore;
  readonly signal: AbortSignal;
  /** A file whose source stands still is left, because it comes again later or has come again. */
  readonly leavesStalled: boolean;
  /** Keeps the id of a multipart upload for a repeat and answers the one that counts. */
  readonly keepMultipart: (entry: SyncEntry, id: string) => Promise<string>;
  /** Keeps how far a copy in parts has come. */
  readonly keepParts: (entry: SyncEntry, parts: readonly PartInfo[]) => Promise<void>;
}

/** Files up to this size are held whole, so that the store can be asked again; larger ones stream. */
const HELD_BYTES = 1024 * 1024;
const PART_BYTES = 8 * 1024 * 1024;
/** How far a copy has come is kept so often: each time, all its parts are written. A crash costs what came since. */
const KEEP_EVERY_MS = 2000;
/** Stores take 10,000 parts. */
const MAX_PARTS = 9000;

/**
 * Copies one file of the source to its object. Size and sha256 are checked on the way; after a resume in the middle the
 * whole object is read once for it. Idempotent: the same entry writes the same object.
 * @throws FileTrouble when the bytes are not what the manifest promises, or the source's AppError when they do not come
 */
export async function copyFile(deps: CopyDeps, entry: SyncEntry): Promise<FileType> {
  const offset = entry.parts.reduce((sum, part) => sum + part.sizeBytes, 0);
  const reader = new RemoteReader(deps.place, { path: entry.remote_path, sizeBytes: entry.size_bytes }, offset, deps.signal, deps.leavesStalled);
  try {
    await storeBytes(deps, entry, reader);
    await reader.end();
    const found = reader.digest() ?? (await digestObject(deps.objects, entry.object_key, deps.signal));
    const problem = compareCopy({ sizeBytes: entry.size_bytes, sha256: entry.sha256 }, { sizeBytes: entry.size_bytes, sha256: found.sha256 });
    if (problem) throw new FileTrouble(problem.code, problem.message);
    return recognizeFile(found.head, entry.path);
  } catch (error) {
    deps.signal.throwIfAborted();
    // A broken source ends the store's request as well; the source's own error says more.
    throw reader.failure ?? error;
  } finally {
    reader.close();
  }
}

async function storeBytes(deps: CopyDeps, entry: SyncEntry, reader: RemoteReader): Promise<void> {
  const { objects, signal } = deps;
  if (entry.size_bytes >= PARTS_FROM_BYTES) return storeParts(deps, entry, reader);
  if (entry.size_bytes > HELD_BYTES) return void (await objects.put(entry.object_key, streamOf(reader, entry.size_bytes), entry.size_bytes, { signal }));
  await objects.put(entry.object_key, await reader.whole(entry.size_bytes), entry.size_bytes, { signal });
}

async function storeParts({ objects, signal, keepMultipart, keepParts }: CopyDeps, entry: SyncEntry, reader: RemoteReader): Promise<void> {
  const partBytes = Math.max(PART_BYTES, Math.ceil(entry.size_bytes / MAX_PARTS / PART_BYTES) * PART_BYTES);
  const multipartId = entry.multipart_id ?? (await keepMultipart(entry, await objects.createMultipart(entry.object_key)));
  const parts = [...entry.parts];
  let kept = { count: parts.length, at: Date.now() };
  const keep = async () => {
    kept = { count: parts.length, at: Date.now() };
    await keepParts(entry, parts);
  };
  try {
    for (let offset = parts.reduce((sum, part) => sum + part.sizeBytes, 0); offset < entry.size_bytes; ) {
      const size = Math.min(partBytes, entry.size_bytes - offset);
      parts.push(await objects.putPart(entry.object_key, multipartId, parts.length + 1, streamOf(reader, size), size, signal));
      offset += size;
      if (Date.now() - kept.at >= KEEP_EVERY_MS) await keep();
    }
  } finally {
    if (parts.length > kept.count) await keep();
  }
  // The store may take minutes for it. Whoever leaves meanwhile leaves an object that the entry owns.
  await unlessAborted(objects.completeMultipart(entry.object_key, multipartId, parts), signal);
  // An attempt that was cut off before its id was kept left an upload of its own.
  await objects.abortMultipart(entry.object_key, null);
}

const streamOf = (reader: RemoteReader, bytes: number): Readable => Readable.from(reader.take(bytes), { objectMode: false, highWaterMark: 256 * 1024 });
