import type { RandomAccess } from '../../core/ports/archive-reader.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import { UnreadableTable } from '../../core/ports/table-reader.js';
import { objectReader } from '../../models/objects/object-reader.js';

/** For how long the store is read for one sample, all its tables together; waiting for a free reader does not count. */
const READ_WITHIN_MS = 20_000;

/** What one sample reads of the store: counted, within a time limit, and only while a client waits. */
export class SampleReading {
  bytesRead = 0;
  private late: AbortSignal | null = null;

  constructor(
    private readonly objects: ObjectStore,
    private readonly leaves: AbortSignal,
    private readonly withinMs = READ_WITHIN_MS,
  ) {}

  /** Its reads throw UnreadableTable when time is over, and the reason of `leaves`. */
  open(key: string, sizeBytes: number): RandomAccess {
    const read = async (start: number, end: number) => {
      this.late ??= AbortSignal.timeout(this.withinMs);
      try {
        const until = AbortSignal.any([this.leaves, this.late]);
        until.throwIfAborted();
        const bytes = await objectReader(this.objects, key, sizeBytes, until).read(start, end);
        this.bytesRead += bytes.length;
        return bytes;
      } catch (error) {
        this.leaves.throwIfAborted();
        throw this.late.aborted
          ? new UnreadableTable(`reading it takes longer than ${this.withinMs / 1000} seconds`)
          : error;
      }
    };
    return { sizeBytes, read };
  }
}
