import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { AppError } from '../../core/errors/app-error.js';
import type { RemoteFile, RemoteSource, SourceFailure } from '../../core/ports/remote-source.js';

export const sourceError = (reason: SourceFailure, message = `source: ${reason}`): AppError => new AppError('bad_gateway', message, { reason, next_step: 'Mend it.' });

/** A source in memory whose files break as told. */
export class FakeRemoteSource implements RemoteSource {
  readonly files = new Map<string, Buffer>();
  /** Offsets that files were opened at, in order. */
  readonly opened: Array<{ path: string; offset: number }> = [];
  /** Asked before each opening: an error to throw, or after how many further bytes the connection breaks. */
  disturb: (path: string, offset: number) => { throws?: Error; breaksAfter?: number; with?: Error } = () => ({});
  /** Thrown by everything but files; null: it is there. */
  away: Error | null = null;

  add(path: string, bytes: Buffer): RemoteFile {
    this.files.set(path, bytes);
    return { path, sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  }

  async listDatasets(): ReturnType<RemoteSource['listDatasets']> {
    if (this.away) throw this.away;
    return { items: [], total: 0 };
  }

  async *readManifest(): AsyncIterable<RemoteFile> {
    if (this.away) throw this.away;
    for (const [path, bytes] of this.files) yield this.add(path, bytes);
  }

  async openFile(_source: unknown, _id: string, path: string, offset: number): Promise<Readable> {
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
