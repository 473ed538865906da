import type { Request, Response } from 'express';
import { EVENTS_CHANNEL, type StreamEvent, type StreamKind } from '../../core/events/stream-event.js';
import { inParallel } from '../../core/load/in-parallel.js';
import type { Logger } from '../../core/logging/logger.js';
import type { Listener } from '../../models/orm/listener.js';
import { eventFrame, SseClient } from '../http/answers/sse-client.js';
import { type LogReader, withLogLines } from './log-events.js';
import { clientData, parseEvents, type StreamEnding, streamKey } from './stream-events.js';
import type { StreamSeats } from './stream-seats.js';

/** A proxy that sees nothing for a minute may cut the line. */
export const KEEP_ALIVE_MS = 15_000;
const RECHECK_MS = 60_000;
/** Streams that are asked about at the same time: each question may take a connection to the database. */
const RECHECKS_AT_ONCE = 16;
/** A change that takes a stream away takes it within a second, also while the database answers late. */
export const DECIDED_WITHIN_MS = 700;
/** Clients come back spread over this long, so that a restart is no storm. */
const RETRY_MS = { least: 1000, spread: 2000 };
/** Nothing new follows an end: a client that reconnects by itself does so seldom. */
const OVER_RETRY_MS = 60_000;

export interface StreamRequest {
  readonly stream: StreamKind;
  /** Null for notifications and tenant deletions. */
  readonly tenantId: string | null;
  /** Resource, or the user for notifications, or the tenant for streams of a whole tenant. */
  readonly id: string;
  /** Text of the first event: `<kind>:<tenant code>`, `notifications:<user id>`. */
  readonly channel: string;
  readonly userId: string;
  readonly sessionId: string;
  /** Asked again every 60 s and whenever the account, session or tenant changed; false or a throw ends the stream. */
  readonly stillAllowed: () => Promise<boolean>;
  /** Streams of what comes to an end; null: the stream has none. */
  readonly ending: StreamEnding | null;
}

export type Watcher = Pick<StreamRequest, 'stream' | 'tenantId' | 'id' | 'userId' | 'sessionId'>;

export interface SseHubOptions {
  readonly listener: Listener;
  readonly logger: Logger;
  readonly seats: StreamSeats;
  /** Fills `log` events with their lines; null sends the offsets as they are. */
  readonly readLog: LogReader | null;
  /** Between two comments that keep a silent stream open; default KEEP_ALIVE_MS. */
  readonly keepAliveMs?: number;
  /** Default DECIDED_WITHIN_MS. */
  readonly decidedWithinMs?: number;
}

interface Seat {
  readonly request: StreamRequest;
  readonly client: SseClient;
}

/** All event streams of this process, fed by one listening connection. */
export class SseHub {
  private readonly byKey = new Map<string, Set<Seat>>();
  /** Events of one resource keep their order, also while a log range is read. */
  private readonly tails = new Map<string, Promise<void>>();
  private readonly timers: NodeJS.Timeout[];
  private readonly unsubscribe: () => void;
  private missed = false;
  private closed = false;

  constructor(private readonly options: SseHubOptions) {
    this.timers = [
      setInterval(
        () => this.each((seat) => seat.client.keepAlive()),
        options.keepAliveMs ?? KEEP_ALIVE_MS,
      ).unref(),
      setInterval(() => void this.ask(this.seatsWhere(() => true)), RECHECK_MS).unref(),
    ];
    this.unsubscribe = options.listener.subscribe({
      channel: EVENTS_CHANNEL,
      onNotify: (payload) => this.deliver(parseEvents(payload)),
      onDown: () => {
        this.missed = true;
      },
      onUp: () => this.afterGap(),
    });
  }

  get size(): number {
    return [...this.byKey.values()].reduce((sum, seats) => sum + seats.size, 0);
  }

  /**
   * Opens a stream on the response and keeps it until either side ends it. Authorise before.
   * @throws AppError too_many_requests before anything is sent
   */
  async open(req: Request, res: Response, request: StreamRequest): Promise<void> {
    const leave = await this.options.seats.take(request.userId, request.tenantId);
    if (this.closed || req.socket.destroyed) {
      leave();
      res.destroy();
      return;
    }
    const client = new SseClient(res);
    const seat: Seat = { request, client };
    const key = streamKey(request);
    const group = this.byKey.get(key) ?? new Set();
    this.byKey.set(key, group.add(seat));
    client.onClose(() => {
      leave();
      group.delete(seat);
      if (group.size === 0 && this.byKey.get(key) === group) this.byKey.delete(key);
    });
    client.send(eventFrame('connected', { channel: request.channel }));
    // What changed between the authorisation and this moment closed no stream: there was none yet.
    void this.recheck(seat);
    if (request.ending !== null) void this.endIfOver(seat, request.ending);
  }

  private async endIfOver({ client, request }: Seat, ending: StreamEnding): Promise<void> {
    try {
      const last = await ending.find();
      if (last === null) return;
      client.send(frameOf(last, new Date()));
      client.end(OVER_RETRY_MS);
    } catch (error) {
      this.options.logger.warn(
        { err: error, stream: request.stream },
        'the state of a resource could not be read for its stream',
      );
      client.end(retryMs());
    }
  }

  /** Ends streams at once, for example those of a session that was signed out. */
  closeWhere(predicate: (watcher: Watcher) => boolean): void {
    this.each((seat) => {
      if (predicate(seat.request)) seat.client.end(null);
    });
  }

  /**
   * After a change: asks for these streams whether they are still allowed and ends those that are not. Those of which nothing
   * is known in time end too: their clients come back and are asked again.
   */
  async recheckWhere(predicate: (watcher: Watcher) => boolean): Promise<void> {
    const undecided = this.seatsWhere(predicate);
    const late = setTimeout(() => {
      for (const { client } of undecided) client.end(retryMs());
    }, this.options.decidedWithinMs ?? DECIDED_WITHIN_MS);
    await this.ask(undecided);
    clearTimeout(late);
  }

  /** @param undecided what has been asked for is taken out */
  private async ask(undecided: Set<Seat>): Promise<void> {
    await inParallel([...undecided], RECHECKS_AT_ONCE, async (seat) => {
      await this.recheck(seat);
      undecided.delete(seat);
    });
  }

  private async recheck({ request, client }: Seat): Promise<void> {
    const allowed = await request.stillAllowed().catch(() => false);
    if (!allowed) client.end(null);
  }

  /** Ends all streams for a stop of the process; clients come back elsewhere or later. */
  close(): void {
    this.closed = true;
    this.options.seats.close();
    this.unsubscribe();
    for (const timer of this.timers) clearInterval(timer);
    this.each((seat) => seat.client.end(retryMs()));
  }

  /** Hints sent while nobody listened are lost: clients reconnect and read the state again, as they do after any break. */
  private afterGap(): void {
    if (!this.missed) return;
    this.missed = false;
    this.each((seat) => seat.client.end(retryMs()));
  }

  private deliver(events: readonly StreamEvent[]): void {
    for (const [key, group] of this.watched(events)) {
      const before = this.tails.get(key);
      const needsReading = this.options.readLog !== null && group.some((event) => event.event === 'log');
      if (!before && !needsReading) {
        this.send(key, group);
        continue;
      }
      const tail = (before ?? Promise.resolve())
        .then(() => this.readLogs(group))
        .then((ready) => this.send(key, ready))
        .catch((error: unknown) =>
          this.options.logger.warn({ err: error, stream: group[0]?.stream }, 'events could not be delivered'),
        )
        .finally(() => {
          if (this.tails.get(key) === tail) this.tails.delete(key);
        });
      this.tails.set(key, tail);
    }
  }

  /** Events by place, without those nobody here watches. */
  private watched(events: readonly StreamEvent[]): Map<string, StreamEvent[]> {
    const groups = new Map<string, StreamEvent[]>();
    for (const event of events) {
      const key = streamKey(event);
      if (!this.byKey.has(key)) continue;
      const group = groups.get(key);
      if (group) group.push(event);
      else groups.set(key, [event]);
    }
    return groups;
  }

  private async readLogs(events: readonly StreamEvent[]): Promise<StreamEvent[]> {
    const { readLog } = this.options;
    const parts = await Promise.all(
      events.map((event) =>
        event.event === 'log' && readLog ? withLogLines(event, readLog).catch(() => [event]) : [event],
      ),
    );
    return parts.flat();
  }

  /** One buffer for all watchers of a resource, however many events came together. */
  private send(key: string, events: readonly StreamEvent[]): void {
    const seats = this.byKey.get(key);
    if (!seats || events.length === 0) return;
    const now = new Date();
    const frames = Buffer.concat(events.map((event) => frameOf(event, now)));
    for (const { client, request } of [...seats]) {
      if (!client.send(frames))
        this.options.logger.info({ stream: request.stream }, 'a client that reads too slowly was cut off');
      if (request.ending !== null && events.some(request.ending.isLast)) client.end(OVER_RETRY_MS);
    }
  }

  private seatsWhere(predicate: (watcher: Watcher) => boolean): Set<Seat> {
    const found = new Set<Seat>();
    this.each((seat) => {
      if (predicate(seat.request)) found.add(seat);
    });
    return found;
  }

  private each(action: (seat: Seat) => void): void {
    for (const seats of [...this.byKey.values()]) for (const seat of [...seats]) action(seat);
  }
}

const frameOf = (event: StreamEvent, now: Date): Buffer => eventFrame(event.event, clientData(event, now));

const retryMs = (): number => RETRY_MS.least + Math.random() * RETRY_MS.spread;
