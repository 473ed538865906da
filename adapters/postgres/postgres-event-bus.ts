import pg from 'pg';
import { EVENTS_CHANNEL, type StreamEvent } from '../../core/events/stream-event.js';
import type { EventBus } from '../../core/ports/event-bus.js';
import { toBatches } from './event-batches.js';

const COALESCE_MS = 50;
/** While the database is away hints pile up; beyond this the oldest are dropped. */
const MAX_QUEUED = 10_000;

export interface PostgresEventBusOptions {
  readonly connectionString: string;
  readonly applicationName: string;
  /** Called for hints that were lost; they are hints, so nothing else happens. */
  readonly onLost?: (count: number, error: unknown) => void;
}

export type ManagedEventBus = EventBus & { close(): Promise<void> };

/** Sends events by NOTIFY over a connection of its own, outside every transaction: at most one message each 50 ms. */
export function createPostgresEventBus(options: PostgresEventBusOptions): ManagedEventBus {
  return new PostgresEventBus(options);
}

class PostgresEventBus implements ManagedEventBus {
  private readonly pool: pg.Pool;
  private queue: StreamEvent[] = [];
  private timer: NodeJS.Timeout | null = null;
  private sending: Promise<void> = Promise.resolve();

  constructor(private readonly options: PostgresEventBusOptions) {
    this.pool = new pg.Pool({
      connectionString: options.connectionString,
      application_name: options.applicationName,
      max: 1,
      idleTimeoutMillis: 60_000,
      connectionTimeoutMillis: 5000,
      // Not a setting of the connection: poolers refuse those.
      query_timeout: 5000,
      keepAlive: true,
    });
    this.pool.on('error', () => undefined);
  }

  publish(events: readonly StreamEvent[]): void {
    this.queue.push(...events);
    const excess = this.queue.length - MAX_QUEUED;
    if (excess > 0) {
      this.queue.splice(0, excess);
      this.options.onLost?.(excess, new Error('too many events are waiting'));
    }
    this.timer ??= setTimeout(() => void this.flush(), COALESCE_MS);
  }

  flush(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    // One after the other, so that events keep their order.
    this.sending = this.sending.then(() => this.send());
    return this.sending;
  }

  async close(): Promise<void> {
    await this.flush();
    await this.pool.end();
  }

  private async send(): Promise<void> {
    const events = this.queue;
    this.queue = [];
    if (events.length === 0) return;
    try {
      const batches = toBatches(events);
      await this.pool.query(
        'select pg_notify($1, payload) from unnest($2::text[]) with ordinality as batch (payload, at) order by at',
        [EVENTS_CHANNEL, batches],
      );
    } catch (error) {
      this.options.onLost?.(events.length, error);
    }
  }
}
