import type { RandomAccess } from '../../../core/ports/archive-reader.js';
import { UnreadableTable } from '../../../core/ports/table-reader.js';

interface Segment {
  readonly start: number;
  readonly bytes: Buffer;
}

/** Ranges of a file, read once and kept while a sample is made, at most so many bytes in all. */
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
    if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start || end > this.sizeBytes)
      throw new UnreadableTable('it points outside of its own bytes');
    if (start === end) return Buffer.alloc(0);
    const at = this.segments.findIndex((segment) => segment.start <= start && start <= segment.start + segment.bytes.length);
    const kept = this.segments[at];
    if (!kept) return this.keep(this.segments.length, { start, bytes: await this.fetch(start, end) }, start, end);
    const keptEnd = kept.start + kept.bytes.length;
    if (keptEnd >= end) return kept.bytes.subarray(start - kept.start, end - kept.start);
    return this.keep(at, { start: kept.start, bytes: Buffer.concat([kept.bytes, await this.fetch(keptEnd, end)]) }, start, end);
  }

  private keep(at: number, segment: Segment, start: number, end: number): Buffer {
    this.segments[at] = segment;
    return segment.bytes.subarray(start - segment.start, end - segment.start);
  }

  private async fetch(start: number, end: number): Promise<Buffer> {
    this.readBytes += end - start;
    if (this.readBytes > this.maxBytes) throw new UnreadableTable(`more than ${this.maxBytes} bytes would have to be read`);
    return this.source.read(start, end);
  }

  /** For readers that take their bytes as an ArrayBuffer of their own. */
  async slice(start: number, end: number = this.sizeBytes): Promise<ArrayBuffer> {
    return new Uint8Array(await this.read(start, end)).buffer;
  }
}
