import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { AppError } from '../../core/errors/app-error.js';
import type { RemoteFile, RemoteSource, SourceFailure } from '../../core/ports/remote-source.js';

export const sourceError = (reason: SourceFailure, message = `source: ${reason}`): AppError =>
  new AppError('bad_gateway', message, { reason, next_step: 'Correct it.' });

/** A source in memory whose files break as asked. */
export class FakeRemoteSource implements RemoteSource {
  readonly files = new Map<string, Buffer>();
  /** The only dataset it has; null: any id means the one that holds the files. */
  datasetId: string | null = null;
  /** Offsets that files were opened at, in order. */
  readonly opened: Array<{ path: string; offset: number }> = [];
  /** Asked before each opening: an error to throw, or after how many further bytes the connection breaks. */
  disturb: (path: string, offset: number) => { throws?: Error; breaksAfter?: number; with?: Error } =
    () => ({});
  /** Thrown by everything but files; null: it is there. */
  away: Error | null = null;

  add(path: string, bytes: Buffer): RemoteFile {
    this.files.set(path, bytes);
    return { path, sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  }

  async listDatasets(
    _source: unknown,
    { page, pageSize }: { readonly page: number; readonly pageSize: number },
    signal?: AbortSignal,
  ): ReturnType<RemoteSource['listDatasets']> {
    signal?.throwIfAborted();
    if (this.away) throw this.away;
    const sizeBytes = [...this.files.values()].reduce((sum, bytes) => sum + bytes.length, 0);
    const all = [this.datasetId]
      .filter((id) => id !== null)
      .map((id) => ({
        id,
        name: id,
        modality: null,
        updatedAt: null,
        fileCount: this.files.size,
        sizeBytes,
      }));
    return { items: all.slice((page - 1) * pageSize, page * pageSize), total: all.length };
  }

  async *readManifest(_source: unknown, id: string, signal?: AbortSignal): AsyncIterable<RemoteFile> {
    signal?.throwIfAborted();
    if (this.away) throw this.away;
    if (this.datasetId !== null && id !== this.datasetId) throw sourceError('missing');
    for (const [path, bytes] of this.files) yield this.add(path, bytes);
  }

  async openFile(
    _source: unknown,
    _id: string,
    path: string,
    offset: number,
    signal?: AbortSignal,
  ): Promise<Readable> {
    signal?.throwIfAborted();
    this.opened.push({ path, offset });
    const { throws, breaksAfter, with: error } = this.disturb(path, offset);
    if (throws) throw throws;
    const bytes = this.files.get(path);
    if (!bytes) throw sourceError('missing');
    const piece = bytes.subarray(offset, breaksAfter === undefined ? undefined : offset + breaksAfter);
    return Readable.from(
      (async function* () {
        for (let at = 0; at < piece.length; at += 65_536) yield piece.subarray(at, at + 65_536);
        if (breaksAfter !== undefined) throw error ?? sourceError('connection');
      })(),
    );
  }
}
