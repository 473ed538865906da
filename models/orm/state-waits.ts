import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Listener } from './listener.js';

/**
 * Triggers notify on this channel when the state of a row changes that somebody may wait for (`callsOnStates`). The payload
 * is the id of the row; empty where rows were deleted.
 */
const STATES_CHANNEL = 'visionops_states';

/** How long a request waits for durable work that is usually done in a moment. */
const WITHIN_MS = 5000;
/** A row is read again after this time without a notification: sooner while none can come. */
const netMs = (isListening: boolean): number => (isListening ? 5000 : 1000);

/** Waits until rows are as wanted. */
export class StateWaits {
  /** An event is an id that somebody waits for. */
  private readonly changes = new EventEmitter().setMaxListeners(0);

  constructor(
    private readonly listener: Listener,
    private readonly net = netMs,
  ) {
    const all = () => {
      for (const id of this.changes.eventNames()) this.changes.emit(id);
    };
    const onNotify = (id: string) => (id === '' ? all() : void this.changes.emit(id));
    listener.subscribe({ channel: STATES_CHANNEL, onNotify, onUp: all, onDown: all });
  }

  /**
   * Reads a row again whenever its state changed.
   * @param id as the trigger of its table names it: a run by its public id, a workload by its owner, others by their own id
   * @param more.signal nobody waits any more; the work itself goes on
   * @returns the row as it was read last: not as wanted when the time is over or nobody waits
   */
  async until<T>(
    id: string,
    read: () => Promise<T>,
    isAsWanted: (row: T) => boolean,
    {
      signal: leaving,
      withinMs = WITHIN_MS,
    }: { readonly signal?: AbortSignal; readonly withinMs?: number } = {},
  ): Promise<T> {
    const timeout = AbortSignal.timeout(withinMs);
    const over = leaving ? AbortSignal.any([leaving, timeout]) : timeout;
    let next = Promise.withResolvers<void>();
    const onChange = () => {
      next.resolve();
      next = Promise.withResolvers();
    };
    this.changes.on(id, onChange);
    try {
      for (;;) {
        // Taken before the row is read, so that no change falls in between.
        const changed = next.promise;
        const row = await read();
        if (isAsWanted(row) || over.aborted) return row;
        const answered = new AbortController();
        const signal = AbortSignal.any([over, answered.signal]);
        const net = sleep(this.net(this.listener.isUp), undefined, { signal }).catch(() => undefined);
        await Promise.race([changed, net]);
        answered.abort();
      }
    } finally {
      this.changes.off(id, onChange);
    }
  }
}
