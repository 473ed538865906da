import { type DirectConnection, directConnection, escapeIdentifier } from './direct-connection.js';

export interface ListenerOptions {
  readonly connectionString: string;
  readonly applicationName: string;
}

export interface Subscription {
  readonly channel: string;
  /** Called for each notification, in order; must not throw. */
  readonly onNotify?: (payload: string) => void;
  /** Called whenever the channel is listened to (again): what came before was missed. */
  readonly onUp?: () => void;
  /** Called when the connection is lost: what is cached on the strength of notifications counts as cold until `onUp`. */
  readonly onDown?: () => void;
}

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 10_000;
/** A half-open connection is found by this question; keep-alive of the kernel takes two hours. */
const PROBE_EVERY_MS = 15_000;
const PROBE_TIMEOUT_MS = 5_000;

/**
 * One connection that listens on all channels of a process and reconnects with back-off. Notifications are hints: those
 * sent while it is down are lost, so subscribers read their state again in `onUp`.
 */
export class Listener {
  private readonly subscriptions: Subscription[] = [];
  private client: DirectConnection | null = null;
  private up = false;
  private stopped = false;
  private delayMs = FIRST_DELAY_MS;
  private timer: NodeJS.Timeout | null = null;
  /** Settles with the last statement of the connection. */
  private asked: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: ListenerOptions) {}

  get isUp(): boolean {
    return this.up;
  }

  /** Adds a subscription before or after `start`; answers how to end it. */
  subscribe(subscription: Subscription): () => void {
    const isNew = !this.subscriptions.some((other) => other.channel === subscription.channel);
    this.subscriptions.push(subscription);
    if (this.up && this.client) {
      if (isNew)
        this.ask(this.client, `listen ${escapeIdentifier(subscription.channel)}`).then(
          () => subscription.onUp?.(),
          () => this.lost(),
        );
      else subscription.onUp?.();
    }
    return () => {
      const at = this.subscriptions.indexOf(subscription);
      if (at >= 0) this.subscriptions.splice(at, 1);
    };
  }

  /** Tries once and answers; when the database is away it keeps trying in the background. */
  async start(): Promise<void> {
    await this.connect();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer) clearTimeout(this.timer);
    const client = this.client;
    this.client = null;
    this.up = false;
    await client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    const client = directConnection({
      connectionString: this.options.connectionString,
      application_name: this.options.applicationName,
      connectionTimeoutMillis: 5000,
    });
    this.client = client;
    this.asked = Promise.resolve();
    client.on('error', () => this.lost(client));
    client.on('end', () => this.lost(client));
    client.on('notification', ({ channel, payload }) => {
      for (const subscription of [...this.subscriptions])
        if (subscription.channel === channel) subscription.onNotify?.(payload ?? '');
    });
    try {
      await client.connect();
      const channels = [...new Set(this.subscriptions.map((subscription) => subscription.channel))];
      if (channels.length > 0)
        await this.ask(client, channels.map((channel) => `listen ${escapeIdentifier(channel)}`).join('; '));
      if (this.client !== client) return;
      this.up = true;
      this.delayMs = FIRST_DELAY_MS;
      this.scheduleProbe(client);
      for (const subscription of [...this.subscriptions]) subscription.onUp?.();
    } catch {
      this.lost(client);
    }
  }

  /** One statement after the other: a connection takes no second one while it runs the first. */
  private ask(client: DirectConnection, statement: string): Promise<unknown> {
    const answer = this.asked.then(() => client.query(statement));
    this.asked = answer.catch(() => undefined);
    return answer;
  }

  private scheduleProbe(client: DirectConnection): void {
    this.timer = setTimeout(() => {
      const late = setTimeout(() => this.lost(client), PROBE_TIMEOUT_MS).unref();
      this.ask(client, 'select 1').then(
        () => {
          clearTimeout(late);
          if (this.client === client) this.scheduleProbe(client);
        },
        () => {
          clearTimeout(late);
          this.lost(client);
        },
      );
    }, PROBE_EVERY_MS).unref();
  }

  private lost(client: DirectConnection | null = this.client): void {
    if (this.stopped || client === null || this.client !== client) return;
    this.client = null;
    if (this.timer) clearTimeout(this.timer);
    client.end().catch(() => undefined);
    if (this.up) {
      this.up = false;
      for (const subscription of [...this.subscriptions]) subscription.onDown?.();
    }
    this.timer = setTimeout(() => void this.connect(), this.delayMs * (0.5 + Math.random() / 2)).unref();
    this.delayMs = Math.min(this.delayMs * 2, MAX_DELAY_MS);
  }
}
