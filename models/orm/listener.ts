import { randomBytes } from 'node:crypto';
import { type DirectConnection, directConnection, escapeIdentifier } from './direct-connection.js';
import { sendNotification } from './notification-sender.js';

export interface ListenerOptions {
  readonly connectionString: string;
  readonly applicationName: string;
  /** Between two tests of a connection that works; default TEST_EVERY_MS. */
  readonly testEveryMs?: number;
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
/** A connection that is half open, leads through a pooler or to a server of the past is found by this. */
const TEST_EVERY_MS = 15_000;
const HEARD_WITHIN_MS = 5000;
const UNSENT = 'nothing can be sent to the listening connection: the database takes no further connection';
const UNHEARD =
  'what is sent to the listening connection does not arrive; behind a pooler set DATABASE_DIRECT_URL';

/**
 * One connection that listens on all channels of a process and reconnects with back-off. Notifications are hints: those
 * sent while it is down are lost, so subscribers read their state again in `onUp`. Nothing shows that notifications do not
 * arrive, so it sends one to itself, as any other process would: over another connection, to whichever server is the
 * primary now. It is up once it has heard that.
 */
export class Listener {
  private readonly subscriptions: Subscription[] = [];
  private readonly ownChannel = `visionops_test_${randomBytes(8).toString('hex')}`;
  private client: DirectConnection | null = null;
  private reason: string | null = 'not connected yet';
  private stopped = false;
  private delayMs = FIRST_DELAY_MS;
  private timer: NodeJS.Timeout | null = null;
  private heard: () => void = () => undefined;
  /** Settles with the last statement of the connection. */
  private asked: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: ListenerOptions) {}

  get isUp(): boolean {
    return this.reason === null;
  }

  /** Why nothing is heard, null while it is up. */
  get problem(): string | null {
    return this.reason;
  }

  /** @throws Error with the problem */
  async check(): Promise<void> {
    if (this.reason !== null) throw new Error(this.reason);
  }

  /** Adds a subscription before or after `start`; answers how to end it. */
  subscribe(subscription: Subscription): () => void {
    const isNew = !this.subscriptions.some((other) => other.channel === subscription.channel);
    this.subscriptions.push(subscription);
    const { client } = this;
    if (client && isNew)
      this.listen(client, [subscription.channel]).then(
        () => this.isUp && this.client === client && subscription.onUp?.(),
        (error: Error) => this.lost(client, error.message),
      );
    else if (this.isUp) subscription.onUp?.();
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
    this.reason = 'stopped';
    await client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    const client = directConnection({
      connectionString: this.options.connectionString,
      application_name: this.options.applicationName,
      connectionTimeoutMillis: HEARD_WITHIN_MS,
      query_timeout: HEARD_WITHIN_MS,
    });
    this.client = client;
    client.on('error', (error) => this.lost(client, error.message));
    client.on('end', () => this.lost(client, 'the connection was ended'));
    client.on('notification', ({ channel, payload }) => this.deliver(channel, payload ?? ''));
    this.asked = client.connect();
    try {
      const channels = this.subscriptions.map((subscription) => subscription.channel);
      await this.listen(client, [this.ownChannel, ...new Set(channels)]);
      if (!(await this.isHeard())) throw new Error(UNSENT);
      if (this.client !== client) return;
      this.reason = null;
      this.delayMs = FIRST_DELAY_MS;
      this.testLater(client);
      for (const subscription of [...this.subscriptions]) subscription.onUp?.();
    } catch (error) {
      this.lost(client, (error as Error).message);
    }
  }

  private deliver(channel: string, payload: string): void {
    if (channel === this.ownChannel) return this.heard();
    for (const subscription of [...this.subscriptions])
      if (subscription.channel === channel) subscription.onNotify?.(payload);
  }

  /** One statement after the other: a connection takes no second one while it runs the first. */
  private listen(client: DirectConnection, channels: readonly string[]): Promise<unknown> {
    const statement = channels.map((channel) => `listen ${escapeIdentifier(channel)}`).join('; ');
    const answer = this.asked.then(() => client.query(statement));
    this.asked = answer.catch(() => undefined);
    return answer;
  }

  /**
   * @returns false when nothing could be sent, which says nothing of the connection
   * @throws Error when what was sent is not heard in time
   */
  private async isHeard(): Promise<boolean> {
    const heard = new Promise<boolean>((resolve) => {
      this.heard = () => resolve(true);
    });
    const isSent = await sendNotification(this.options, this.ownChannel, HEARD_WITHIN_MS);
    if (!isSent) return false;
    const late = new Promise<boolean>((resolve) => {
      setTimeout(resolve, HEARD_WITHIN_MS, false).unref();
    });
    if (await Promise.race([heard, late])) return true;
    throw new Error(UNHEARD);
  }

  private async assertHears(client: DirectConnection): Promise<void> {
    if (!(await this.isHeard())) await client.query('select 1');
  }

  private testLater(client: DirectConnection): void {
    this.timer = setTimeout(() => {
      this.assertHears(client).then(
        () => this.client === client && this.testLater(client),
        (error: Error) => this.lost(client, error.message),
      );
    }, this.options.testEveryMs ?? TEST_EVERY_MS).unref();
  }

  private lost(client: DirectConnection, reason: string): void {
    if (this.stopped || this.client !== client) return;
    this.client = null;
    if (this.timer) clearTimeout(this.timer);
    client.end().catch(() => undefined);
    const wasUp = this.isUp;
    this.reason = reason;
    if (wasUp) for (const subscription of [...this.subscriptions]) subscription.onDown?.();
    this.timer = setTimeout(() => void this.connect(), this.delayMs * (0.5 + Math.random() / 2)).unref();
    this.delayMs = Math.min(this.delayMs * 2, MAX_DELAY_MS);
  }
}
