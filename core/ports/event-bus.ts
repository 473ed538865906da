import type { StreamEvent } from '../events/stream-event.js';

/** Hints for people who watch: sent after commit, never relied upon for what must happen. */
export interface EventBus {
  /** Queues events for the next coalesced notification (within 50 ms). Never throws: a lost hint is no failure. */
  publish(events: readonly StreamEvent[]): void;
  /** Sends what is queued. */
  flush(): Promise<void>;
}
