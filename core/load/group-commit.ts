import { unavailable } from '../errors/app-error.js';

export interface GroupCommitOptions<B, A> {
  /** Stores all of a group or nothing, and answers in its order once that is durable. */
  readonly commit: (group: readonly B[]) => Promise<readonly A[]>;
  /** Memory that a batch takes. */
  readonly bytesOf: (batch: B) => number;
  /** Two of the same key never share a group. */
  readonly keyOf: (batch: B) => string;
  readonly maxGroupBytes: number;
  /** Batches that would make those that wait larger than this are refused. */
  readonly maxWaitingBytes: number;
  /** Groups that are stored at the same time. */
  readonly lanes: number;
  /** True for what one batch alone may have caused: the others are stored without it. */
  readonly isOfOneBatch: (error: unknown) => boolean;
}

interface Waiting<B, A> {
  readonly batch: B;
  readonly bytes: number;
  readonly resolve: (answer: A) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Stores whatever waits in one transaction, so that a busy moment makes groups larger instead of queues longer. Nobody is
 * answered before the commit.
 */
export class GroupCommit<B, A> {
  private queue: Waiting<B, A>[] = [];
  private waitingBytes = 0;
  private readonly running = new Set<Promise<void>>();
  private isClosed = false;

  constructor(private readonly options: GroupCommitOptions<B, A>) {}

  /** @throws AppError service_unavailable where too much waits; whatever the commit of its group threw */
  write(batch: B): Promise<A> {
    const bytes = this.options.bytesOf(batch);
    // What is larger than all that may wait is taken where nothing waits.
    const isFull = this.queue.length > 0 && this.waitingBytes + bytes > this.options.maxWaitingBytes;
    if (this.isClosed || isFull)
      return Promise.reject(
        unavailable('Too much is being written right now; try again shortly.', undefined, 1),
      );
    return new Promise((resolve, reject) => {
      this.queue.push({ batch, bytes, resolve, reject });
      this.waitingBytes += bytes;
      // Those that come in the same turn of the event loop share a group.
      setImmediate(() => this.serve());
    });
  }

  /** Refuses what comes from now on and waits for what is there. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.serve();
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private serve(): void {
    while (this.queue.length > 0 && this.running.size < this.options.lanes) {
      const lane = this.store(this.takeGroup()).finally(() => {
        this.running.delete(lane);
        this.serve();
      });
      this.running.add(lane);
    }
  }

  private takeGroup(): Waiting<B, A>[] {
    const group: Waiting<B, A>[] = [];
    const left: Waiting<B, A>[] = [];
    const keys = new Set<string>();
    let room = this.options.maxGroupBytes;
    for (const each of this.queue) {
      const key = this.options.keyOf(each.batch);
      const fits = group.length === 0 || (each.bytes <= room && !keys.has(key));
      // A batch that does not fit blocks later ones, unless only its key is in use.
      if (!fits && !keys.has(key)) room = 0;
      if (fits) {
        keys.add(key);
        group.push(each);
        room -= each.bytes;
      } else left.push(each);
    }
    this.queue = left;
    for (const { bytes } of group) this.waitingBytes -= bytes;
    return group;
  }

  /** Halves a group that failed until the batch at fault is alone. */
  private async store(group: readonly Waiting<B, A>[]): Promise<void> {
    try {
      const answers = await this.options.commit(group.map(({ batch }) => batch));
      for (const [at, { resolve }] of group.entries()) resolve(answers[at] as A);
    } catch (error) {
      if (group.length === 1 || !this.options.isOfOneBatch(error)) {
        for (const { reject } of group) reject(error);
        return;
      }
      const half = Math.ceil(group.length / 2);
      await this.store(group.slice(0, half));
      await this.store(group.slice(half));
    }
  }
}
