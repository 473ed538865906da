import { setTimeout as sleep } from 'node:timers/promises';
import type { Listener } from './listener.js';

/** Triggers notify on this channel when the state of a row changes that somebody may wait for (`callsOnStates`). */
const STATES_CHANNEL = 'visionops_states';

/** How long a request waits for durable work that is usually done in a moment. */
const WITHIN_MS = 5000;
/** A notification that was lost is waited for no longer than this. */
const NET_MS = 1000;

/** Waits until rows are as wanted. */
export class StateCalls {
  private next = Promise.withResolvers<void>();

  constructor(
    listener: Listener,
    private readonly netMs = NET_MS,
  ) {
    const call = () => {
      this.next.resolve();
      this.next = Promise.withResolvers();
    };
    listener.subscribe({ channel: STATES_CHANNEL, onNotify: call, onUp: call, onDown: call });
  }

  /**
   * Reads a row again whenever a state changed.
   * @param more.signal nobody waits any more; the work itself goes on
   * @returns the row as it was read last: not as wanted when the time is over or nobody waits
   */
  async until<T>(
    read: () => Promise<T>,
    isAsWanted: (row: T) => boolean,
    {
      signal: leaving,
      withinMs = WITHIN_MS,
    }: { readonly signal?: AbortSignal; readonly withinMs?: number } = {},
  ): Promise<T> {
    const timeout = AbortSignal.timeout(withinMs);
    const over = leaving ? AbortSignal.any([leaving, timeout]) : timeout;
    for (;;) {
      // Taken before the row is read, so that no change falls in between.
      const called = this.next.promise;
      const row = await read();
      if (isAsWanted(row) || over.aborted) return row;
      const waits = new AbortController();
      const signal = AbortSignal.any([over, waits.signal]);
      await Promise.race([called, sleep(this.netMs, undefined, { signal }).catch(() => undefined)]);
      waits.abort();
    }
  }
}
