import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isPassingFailure,
  LEAST_FILE_BYTES_PER_S,
  type RemoteEndpoint,
  type RemoteSource,
  sourceFailureOf,
} from '../../core/ports/remote-source.js';
import { SNIFF_BYTES } from '../../formats/files/file-type.js';
import { wrongSize } from '../../models/sources/sync/dataset-sync.rules.js';
import { askedWaitMs, FileTrouble } from './source-trouble.js';

/** A remote dataset that files are read from. */
export interface RemotePlace {
  readonly source: RemoteSource;
  readonly endpoint: RemoteEndpoint;
  readonly remoteDatasetId: string;
}

/** Connections that break, in a row, without having brought what they should have. */
const TRIES = 4;
const FIRST_WAIT_MS = 250;
/** A place of a worker is held meanwhile: a source that asks for more is asked for the file later. */
const LONGEST_WAIT_MS = 15_000;

/**
 * Reads one remote file of known size from an offset on. A connection that breaks is opened again where it
 * stopped, so whoever reads sees one unbroken sequence of bytes, never more than promised. It is opened again
 * as often as the bytes came with the least pace, pauses and heads included; time in which nobody reads does
 * not count.
 */
export class RemoteReader {
  private stream: AsyncIterator<Buffer> | null = null;
  private raw: Readable | null = null;
  private rest: Buffer | null = null;
  private tries = 0;
  /** Since tries were counted anew: what came, and how long it was waited for. */
  private cameBytes = 0;
  private waitedMs = 0;
  private readonly sha: Hash | null;
  private readonly heads: Buffer[] = [];
  /** What made reading impossible; whoever gets the bytes sees only a broken stream. */
  failure: unknown = null;

  constructor(
    private readonly place: RemotePlace,
    private readonly file: { readonly path: string; readonly sizeBytes: number },
    private offset: number,
    private readonly signal: AbortSignal,
    /**
     * Does not open a connection again that stood still for as long as one may, unless it brought much
     * before: the file comes again later.
     */
    private readonly leavesStalled = false,
  ) {
    this.sha = offset === 0 ? createHash('sha256') : null;
  }

  /** The next `bytes` bytes; the end of the file must not lie before. */
  async *take(bytes: number): AsyncGenerator<Buffer> {
    for (let left = bytes; left > 0; ) {
      const piece = await this.piece(left);
      left -= piece.length;
      yield piece;
    }
  }

  /** The same in one piece, for what may be held in memory. */
  async whole(bytes: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let left = bytes; left > 0; ) {
      const piece = await this.piece(left);
      left -= piece.length;
      pieces.push(piece);
    }
    return joined(pieces);
  }

  private async piece(most: number): Promise<Buffer> {
    const piece = await this.next();
    const wanted = piece.length > most ? piece.subarray(0, most) : piece;
    this.rest = piece.length > most ? piece.subarray(most) : null;
    this.sha?.update(wanted);
    if (this.sha && this.offset < SNIFF_BYTES) this.heads.push(wanted.subarray(0, SNIFF_BYTES - this.offset));
    this.offset += wanted.length;
    return wanted;
  }

  /** Asserts that nothing follows. Call it once all bytes were taken. @throws FileTrouble */
  async end(): Promise<void> {
    const isLonger =
      this.rest !== null ||
      (this.stream !== null && !(await this.stream.next().catch(() => ({ done: true }))).done);
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
    return this.sha && { sha256: this.sha.digest('hex'), head: joined(this.heads) };
  }

  private async next(): Promise<Buffer> {
    if (this.rest) return this.rest;
    for (;;) {
      try {
        const value = await this.waitFor(() => this.read());
        this.cameBytes += value.length;
        return value;
      } catch (error) {
        this.close();
        this.signal.throwIfAborted();
        await this.waitFor(() => this.pauseAfter(error));
      }
    }
  }

  private async read(): Promise<Buffer> {
    this.stream ??= await this.open();
    const { done, value } = await this.stream.next();
    if (done) throw new FileTrouble(...fieldsOf(wrongSize(this.file.sizeBytes, this.offset)));
    return value;
  }

  private async waitFor<T>(work: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    try {
      return await work();
    } finally {
      this.waitedMs += performance.now() - begun;
    }
  }

  private async open(): Promise<AsyncIterator<Buffer>> {
    this.raw = await this.place.source.openFile(
      this.place.endpoint,
      this.place.remoteDatasetId,
      this.file.path,
      this.offset,
      this.signal,
    );
    // Between two reads nobody listens; the next read reports what breaks then.
    this.raw.on('error', () => undefined);
    return (this.raw as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  /** @throws what made reading impossible */
  private async pauseAfter(error: unknown): Promise<void> {
    const hasPace = this.cameBytes > 0 && this.cameBytes * 1000 >= this.waitedMs * LEAST_FILE_BYTES_PER_S;
    this.tries = hasPace ? 1 : this.tries + 1;
    if (hasPace) [this.cameBytes, this.waitedMs] = [0, 0];
    if (!hasPace && this.leavesStalled && sourceFailureOf(error)?.reason === 'timeout')
      throw this.failed(error);
    const asked = askedWaitMs(error);
    if (this.tries >= TRIES || asked > LONGEST_WAIT_MS || !isPassingFailure(error)) throw this.failed(error);
    const own = FIRST_WAIT_MS * 2 ** (this.tries - 1) * (0.5 + Math.random());
    await sleep(Math.max(asked, own), undefined, { signal: this.signal });
  }

  private failed(error: unknown): unknown {
    this.failure = error;
    return error;
  }
}

const joined = (pieces: readonly Buffer[]): Buffer =>
  pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
const fieldsOf = ({ code, message }: { code: string; message: string }): [string, string] => [code, message];
const tooLong = (promised: number): FileTrouble =>
  new FileTrouble(...fieldsOf(wrongSize(promised, promised + 1)));
