import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../core/errors/app-error.js';
import { isPassingFailure, type RemoteEndpoint, type RemoteSource } from '../../core/ports/remote-source.js';
import { SNIFF_BYTES } from '../../models/datasets/file-type.rules.js';
import { wrongSize } from '../../models/sources/dataset-sync.rules.js';
import { FileTrouble } from './source-trouble.js';

/** A remote dataset that files are read from. */
export interface RemotePlace {
  readonly source: RemoteSource;
  readonly endpoint: RemoteEndpoint;
  readonly remoteDatasetId: string;
}

/** Tries that bring not one byte further, in a row. */
const TRIES = 4;
const FIRST_WAIT_MS = 250;
/** Whatever the source asks for: a place of a worker is held meanwhile. */
const LONGEST_WAIT_MS = 15_000;

/**
 * Reads one remote file of known size from an offset on. A connection that breaks is opened again where it stopped, so
 * whoever reads sees one unbroken sequence of bytes, never more than promised.
 */
export class RemoteReader {
  private stream: AsyncIterator<Buffer> | null = null;
  private raw: Readable | null = null;
  private rest: Buffer | null = null;
  private readonly sha: Hash | null;
  private readonly heads: Buffer[] = [];
  /** What made reading impossible; whoever gets the bytes sees only a broken stream. */
  failure: unknown = null;

  constructor(
    private readonly place: RemotePlace,
    private readonly file: { readonly path: string; readonly sizeBytes: number },
    private offset: number,
    private readonly signal: AbortSignal,
  ) {
    this.sha = offset === 0 ? createHash('sha256') : null;
  }

  /** The next `bytes` bytes; the end of the file must not lie before. */
  async *take(bytes: number): AsyncGenerator<Buffer> {
    for (let left = bytes; left > 0; ) {
      const piece = await this.next();
      const wanted = piece.length > left ? piece.subarray(0, left) : piece;
      this.rest = piece.length > left ? piece.subarray(left) : null;
      left -= wanted.length;
      this.sha?.update(wanted);
      if (this.sha && this.offset < SNIFF_BYTES) this.heads.push(wanted.subarray(0, SNIFF_BYTES - this.offset));
      this.offset += wanted.length;
      yield wanted;
    }
  }

  /** Asserts that nothing follows. Call it once all bytes were taken. @throws FileTrouble */
  async end(): Promise<void> {
    const isLonger = this.rest !== null || (this.stream !== null && !(await this.stream.next().catch(() => ({ done: true }))).done);
    this.close();
    if (isLonger) throw this.failed(tooLong(this.file.sizeBytes));
  }

  close(): void {
    this.raw?.destroy();
    this.raw = null;
    this.stream = null;
  }

  /** sha256 and first bytes; null when reading began in the middle. */
  digest(): { sha256: string; head: Buffer } | null {
    return this.sha && { sha256: this.sha.digest('hex'), head: Buffer.concat(this.heads) };
  }

  private async next(): Promise<Buffer> {
    if (this.rest) return this.rest;
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.stream ??= await this.open();
        const { done, value } = await this.stream.next();
        if (done) throw new FileTrouble(...fieldsOf(wrongSize(this.file.sizeBytes, this.offset)));
        return value;
      } catch (error) {
        this.close();
        this.signal.throwIfAborted();
        if (attempt >= TRIES || !isPassingFailure(error)) throw this.failed(error);
        await this.pauseAfter(error, attempt);
      }
    }
  }

  private async open(): Promise<AsyncIterator<Buffer>> {
    this.raw = await this.place.source.openFile(this.place.endpoint, this.place.remoteDatasetId, this.file.path, this.offset, this.signal);
    // Between two reads nobody listens; what breaks then is told by the next read.
    this.raw.on('error', () => undefined);
    return (this.raw as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  private async pauseAfter(error: unknown, attempt: number): Promise<void> {
    const asked = error instanceof AppError ? (error.options.retryAfterS ?? 0) * 1000 : 0;
    const own = FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random());
    await sleep(Math.min(Math.max(asked, own), LONGEST_WAIT_MS), undefined, { signal: this.signal });
  }

  private failed(error: unknown): unknown {
    this.failure = error;
    return error;
  }
}

const fieldsOf = ({ code, message }: { code: string; message: string }): [string, string] => [code, message];
const tooLong = (promised: number): FileTrouble => new FileTrouble(...fieldsOf(wrongSize(promised, promised + 1)));
