import { Readable } from 'node:stream';
import type { MultipartStore, ObjectStore } from '../../core/ports/object-store.js';
import { type FileType, recognizeFile } from '../../formats/files/file-type.js';
import { compareCopy } from '../../models/sources/sync/dataset-sync.rules.js';
import { PARTS_FROM_BYTES, type SyncEntry } from '../../models/sources/sync/sync-copy.sql.js';
import { digestObject } from '../../models/objects/object-reader.js';
import { unlessAborted } from '../support/unless-aborted.js';
import { type RemotePlace, RemoteReader } from './remote-reader.js';
import { FileTrouble } from './source-trouble.js';
import type { SyncProgress } from './sync-progress.js';

export interface CopyDeps {
  readonly place: RemotePlace;
  readonly objects: ObjectStore & MultipartStore;
  readonly progress: Pick<SyncProgress, 'keepMultipart' | 'keepParts'>;
  /** A file whose source stands still comes again later, and is left until then. */
  readonly mayPutOff: boolean;
}

/** Files up to this size are held whole, so that the store can be asked again; larger ones stream. */
const HELD_BYTES = 1024 * 1024;
const PART_BYTES = 8 * 1024 * 1024;
/**
 * How far a copy has come is kept so often: each time, all its parts are written. A crash costs what came
 * since.
 */
const KEEP_EVERY_MS = 2000;
/** Stores take 10,000 parts. */
const MAX_PARTS = 9000;

/** Copies files of one remote dataset to their objects. */
export class FileCopier {
  constructor(private readonly deps: CopyDeps) {}

  /** Asks the source for something small. @throws what the source's port throws */
  async probe(signal: AbortSignal): Promise<void> {
    const { source, endpoint } = this.deps.place;
    await source.listDatasets(endpoint, { page: 1, pageSize: 1 }, signal);
  }

  /**
   * Copies one file. Size and sha256 are checked on the way; after a resume in the middle the whole object is
   * read once for it. Idempotent: the same entry writes the same object.
   * @throws FileTrouble when the bytes are not what the manifest promises, or the source's AppError when
   *   they do not come
   */
  async copy(entry: SyncEntry, signal: AbortSignal): Promise<FileType> {
    const { place, objects, mayPutOff } = this.deps;
    const { path, remotePath, sizeBytes, sha256, objectKey } = entry;
    const file = { path: remotePath, sizeBytes };
    const reader = new RemoteReader(place, file, storedBytes(entry), signal, mayPutOff || entry.tries > 0);
    try {
      await this.store(entry, reader, signal);
      await reader.end();
      const found = reader.digest() ?? (await digestObject(objects, objectKey, signal));
      const problem = compareCopy({ sizeBytes, sha256 }, { sizeBytes, sha256: found.sha256 });
      if (problem) throw new FileTrouble(problem.code, problem.message);
      return recognizeFile(found.head, path);
    } catch (error) {
      signal.throwIfAborted();
      // A broken source ends the store's request as well; the source's own error says more.
      throw reader.failure ?? error;
    } finally {
      reader.close();
    }
  }

  private async store(entry: SyncEntry, reader: RemoteReader, signal: AbortSignal): Promise<void> {
    const { objectKey, sizeBytes } = entry;
    if (sizeBytes >= PARTS_FROM_BYTES) return this.storeParts(entry, reader, signal);
    const body = sizeBytes > HELD_BYTES ? streamOf(reader, sizeBytes) : await reader.whole(sizeBytes);
    await this.deps.objects.put(objectKey, body, sizeBytes, { signal });
  }

  private async storeParts(entry: SyncEntry, reader: RemoteReader, signal: AbortSignal): Promise<void> {
    const { objects, progress } = this.deps;
    const { position, objectKey, sizeBytes } = entry;
    const partBytes = Math.max(PART_BYTES, Math.ceil(sizeBytes / MAX_PARTS / PART_BYTES) * PART_BYTES);
    const multipartId =
      entry.multipartId ?? (await progress.keepMultipart(position, await objects.createMultipart(objectKey)));
    const parts = [...entry.parts];
    let kept = { count: parts.length, at: Date.now() };
    const keep = async () => {
      kept = { count: parts.length, at: Date.now() };
      await progress.keepParts(position, parts);
    };
    try {
      for (let offset = storedBytes(entry); offset < sizeBytes; ) {
        const size = Math.min(partBytes, sizeBytes - offset);
        const body = streamOf(reader, size);
        parts.push(await objects.putPart(objectKey, multipartId, parts.length + 1, body, size, signal));
        offset += size;
        if (Date.now() - kept.at >= KEEP_EVERY_MS) await keep();
      }
    } finally {
      if (parts.length > kept.count) await keep();
    }
    // The store may take minutes for it. Whoever leaves meanwhile leaves an object that the entry owns.
    await unlessAborted(objects.completeMultipart(objectKey, multipartId, parts), signal);
    // An attempt that was cut off before its id was kept left an upload of its own.
    await objects.abortMultipart(objectKey, null);
  }
}

const storedBytes = ({ parts }: SyncEntry): number => parts.reduce((sum, part) => sum + part.sizeBytes, 0);

const streamOf = (reader: RemoteReader, bytes: number): Readable =>
  Readable.from(reader.take(bytes), { objectMode: false, highWaterMark: 256 * 1024 });
