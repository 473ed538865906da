import { createHash, type Hash } from 'node:crypto';
import { chainEtags, type WholeHash } from '../../models/datasets/chunk-chain.js';

const MAX_SESSIONS = 512;

interface Running {
  readonly hash: Hash;
  readonly chain: string;
  readonly next: number;
}

/** The hash as it will stand once the chunk is acknowledged. */
export interface ChunkHash {
  update(piece: Buffer): void;
  /**
   * @param etag the store's, of this chunk
   * @returns the hash of everything up to here; null when the sequence was broken meanwhile
   */
  keep(etag: string): WholeHash | null;
}

/**
 * The sha256 of upload sessions whose chunks come in order to this process: it spares reading the whole again at the
 * end. Anything else (another order, a restart) just leaves no hash here. What came to another process is not seen
 * here, so a hash names the chunks it was made of and counts only while they are those acknowledged.
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
      keep: (etag) => {
        // An index was sent again meanwhile, perhaps more than once: which bytes count is not known here.
        if (this.running.get(uploadId) !== so) {
          this.running.delete(uploadId);
          return null;
        }
        const chain = chainEtags([etag], so?.chain);
        this.remember(uploadId, { hash, chain, next: index + 1 });
        return { sha256: hash.copy().digest('hex'), chain };
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
