import { isCommitInDoubt } from '../../models/orm/database-errors.js';

/** Items that are done together, such as in one transaction. */
export interface JointWork<T, R> {
  /** Does all of them. @returns one result an item, in their order; throws when none was done, or when that is in doubt */
  run(items: readonly T[]): Promise<ReadonlyArray<R | Error>>;
  /** False: the item has to wait for the next round. */
  fits?(items: readonly T[], item: T): boolean;
}

const MAX_ITEMS = 64;

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Joins what comes while the round before is under way: one at a time costs what it costs, many at once share their
 * transaction. Rounds of one key follow each other, those of different keys run side by side.
 */
export class JointRounds<T, R> {
  private readonly queues = new Map<string, Array<Waiting<T, R>>>();

  add(key: string, item: T, work: JointWork<T, R>): Promise<R> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting<T, R> = { item, resolve, reject };
      const queue = this.queues.get(key);
      if (queue) queue.push(waiting);
      else {
        this.queues.set(key, [waiting]);
        void this.drain(key, work);
      }
    });
  }

  private async drain(key: string, work: JointWork<T, R>): Promise<void> {
    for (let queue = this.queues.get(key) ?? []; queue.length > 0; queue = this.queues.get(key) ?? []) {
      const round = takeRound(queue, work);
      await settle(round, work);
    }
    this.queues.delete(key);
  }
}

function takeRound<T, R>(queue: Array<Waiting<T, R>>, work: JointWork<T, R>): Array<Waiting<T, R>> {
  const round: Array<Waiting<T, R>> = [];
  const later: Array<Waiting<T, R>> = [];
  for (const waiting of queue.splice(0)) {
    const items = round.map(({ item }) => item);
    if (round.length < MAX_ITEMS && (round.length === 0 || (work.fits?.(items, waiting.item) ?? true))) round.push(waiting);
    else later.push(waiting);
  }
  queue.push(...later);
  return round;
}

/**
 * When a round fails as a whole, each of its items is tried alone: one must not take the others with it. Where the
 * answer to COMMIT was lost the round may have been done: nothing is repeated, and everybody hears of it.
 */
async function settle<T, R>(round: ReadonlyArray<Waiting<T, R>>, work: JointWork<T, R>): Promise<void> {
  try {
    const results = await work.run(round.map(({ item }) => item));
    round.forEach(({ resolve, reject }, at) => {
      const result = results[at] as R | Error;
      if (result instanceof Error) reject(result);
      else resolve(result);
    });
  } catch (error) {
    if (round.length === 1 || isCommitInDoubt(error)) for (const { reject } of round) reject(error);
    else for (const waiting of round) await settle([waiting], work);
  }
}
