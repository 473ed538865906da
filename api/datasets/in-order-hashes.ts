import { createHash, type Hash } from 'node:crypto';

const MAX_SESSIONS = 512;

interface Running {
  hash: Hash;
  next: number;
}

/** The hash as it will stand once the chunk is acknowledged. */
export interface ChunkHash {
  update(piece: Buffer): void;
  /** @returns the sha256 of everything up to here; null when the sequence was broken meanwhile */
  keep(): string | null;
}

/**
 * The sha256 of upload sessions whose chunks come in order to this process: it spares reading the whole again at the
 * end. Anything else (another order, another process, a restart) just leaves no hash here.
 */
export class InOrderHashes {
  private readonly running = new Map<string, Running>();

  /** Null when this chunk does not continue what was hashed so far. */
  begin(uploadId: string, index: number): ChunkHash | null {
    const so = this.running.get(uploadId);
    if (index !== (so?.next ?? 0)) {
      if (so && index < so.next) this.running.delete(uploadId);
      return null;
    }
    const hash = so ? so.hash.copy() : createHash('sha256');
    return {
      update: (piece) => hash.update(piece),
      keep: () => {
        // An index was sent again meanwhile: which bytes count is not known here.
        if ((this.running.get(uploadId)?.next ?? 0) !== index) {
          this.running.delete(uploadId);
          return null;
        }
        this.remember(uploadId, { hash, next: index + 1 });
        return hash.copy().digest('hex');
      },
    };
  }

  forget(uploadId: string): void {
    this.running.delete(uploadId);
  }

  private remember(uploadId: string, running: Running): void {
    this.running.delete(uploadId);
    this.running.set(uploadId, running);
    const oldest = this.running.size > MAX_SESSIONS ? this.running.keys().next().value : undefined;
    if (oldest !== undefined) this.running.delete(oldest);
  }
}
