import { inParallel } from '../../core/load/in-parallel.js';
import type { RandomAccess } from '../../core/ports/archive-reader.js';
import { BeyondReader, UnreadableTable } from '../../core/ports/table-reader.js';

/** The bytes `[start, end)`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Maximum gap between ranges that are read in one request, and the maximum size of that request. */
const GAP_BYTES = 32 * 1024;
const JOINED_BYTES = 1024 * 1024;
/** Minimum read where known bytes end: such readers go on in small steps. */
const AHEAD_BYTES = 64 * 1024;

/** Bytes without a gap, with room to grow: what was given out stays as it is. */
class Segment {
  private size: number;

  constructor(
    readonly start: number,
    private buffer: Buffer,
  ) {
    this.size = buffer.length;
  }

  get end(): number {
    return this.start + this.size;
  }

  slice(start: number, end: number): Buffer {
    return this.buffer.subarray(start - this.start, end - this.start);
  }

  /** Takes what lies behind its end, of bytes that begin at or before it: others may have read the same meanwhile. */
  append(from: number, bytes: Buffer): void {
    const added = from + bytes.length - this.end;
    if (added <= 0) return;
    if (this.size + added > this.buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.size, this.size + added));
      this.buffer.copy(larger, 0, 0, this.size);
      this.buffer = larger;
    }
    bytes.copy(this.buffer, this.size, bytes.length - added);
    this.size += added;
  }
}

/** Ranges of a file, read once and kept while a sample is made, up to a maximum of bytes. Allows concurrent reads. */
export class ByteWindow {
  private readonly segments: Segment[] = [];
  private readBytes = 0;

  constructor(
    private readonly source: RandomAccess,
    private readonly maxBytes: number,
  ) {}

  get sizeBytes(): number {
    return this.source.sizeBytes;
  }

  /** The bytes `[start, end)`. @throws UnreadableTable outside the file or beyond the budget */
  async read(start: number, end: number): Promise<Buffer> {
    if (!this.isInside(start, end)) throw new UnreadableTable('it points outside of its own bytes');
    if (start === end) return Buffer.alloc(0);
    const before = this.before(start);
    if (before === null) {
      const segment = new Segment(start, await this.fetch(start, end));
      this.segments.push(segment);
      return segment.slice(start, end);
    }
    if (before.end < end) {
      const from = before.end;
      before.append(from, await this.fetch(from, Math.max(end, this.aheadOf(from))));
    }
    return before.slice(start, end);
  }

  /** Reads what will be asked for, neighbours in one go, several ranges at once. What lies outside the file is left out. */
  async prefetch(spans: readonly Span[], atOnce: number): Promise<void> {
    const runs: Array<{ start: number; end: number }> = [];
    for (const { start, end } of spans
      .filter((span) => this.isInside(span.start, span.end))
      .sort((one, other) => one.start - other.start)) {
      const run = runs.at(-1);
      if (run && start <= run.end + GAP_BYTES && Math.max(run.end, end) - run.start <= JOINED_BYTES)
        run.end = Math.max(run.end, end);
      else runs.push({ start, end });
    }
    await inParallel(runs, atOnce, async ({ start, end }) => {
      if (this.readBytes + end - start <= this.maxBytes) await this.read(start, end);
    });
  }

  /** The segment that reaches up to the place and goes on for longest. */
  private before(place: number): Segment | null {
    let found: Segment | null = null;
    for (const segment of this.segments)
      if (segment.start <= place && place <= segment.end && (found === null || found.end < segment.end))
        found = segment;
    return found;
  }

  /** How far to read on at least: within the file and the budget, and not what is known already. */
  private aheadOf(place: number): number {
    let end = Math.min(place + AHEAD_BYTES, this.sizeBytes, place + this.maxBytes - this.readBytes);
    for (const { start } of this.segments) if (start > place && start < end) end = start;
    return end;
  }

  private isInside(start: number, end: number): boolean {
    return (
      Number.isSafeInteger(start) &&
      Number.isSafeInteger(end) &&
      start >= 0 &&
      end >= start &&
      end <= this.sizeBytes
    );
  }

  private async fetch(start: number, end: number): Promise<Buffer> {
    if (this.readBytes + end - start > this.maxBytes)
      throw new BeyondReader(`more than ${this.maxBytes} bytes would have to be read`);
    this.readBytes += end - start;
    return this.source.read(start, end);
  }
}
