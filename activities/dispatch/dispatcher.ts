import type { Database } from '../../models/orm/in-tenant.js';
import type { Listener } from '../../models/orm/listener.js';
import type { DispatchEntry } from '../../models/outbox/dispatch.js';
import {
  DISPATCH_CHANNEL,
  type Delivery,
  type DueEntry,
  isToBeTriedAgain,
  leaseDueEntries,
  nextEntryDueMs,
  recordHandOver,
  type Outcome,
  STUCK_AFTER,
  settleDeliveries,
} from '../../models/outbox/dispatch.platform.js';
import type { DispatchLane } from '../../models/outbox/dispatch.sql.js';
import { createWokenLoop } from '../support/woken-loop.js';
import type { Circuit } from './circuit.js';
import { type DeliveryDeps, deliverEntry } from './deliver-entry.js';
import { retryDelayS } from './retry-delay.js';

export interface DispatcherDeps extends Omit<DeliveryDeps, 'recordHandOver'> {
  readonly database: Database;
  readonly listener: Listener;
  /** Called for each entry that was delivered, failed or was given up; for metrics. */
  readonly observe?: (kind: DispatchEntry['kind'], outcome: Outcome['kind']) => void;
  /** Pauses the lane of work while the workflow engine is away; the mail server has none. */
  readonly circuit?: Circuit;
}

/** Pause before entries that could not be claimed or delivered are retried. */
const AGAIN_MS = 2000;
/**
 * A lease is longer than the deadline of one call (10 s for the workflow engine, several of 8 s for a mail
 * server), so that two dispatchers rarely hold the same entry. A mail waits longer between tries: servers
 * that ask for patience mean it, and nobody's work depends on it.
 */
const LANES: Readonly<
  Record<DispatchLane, { readonly batch: number; readonly leaseS: number; readonly maxDelayS: number }>
> = {
  work: { batch: 50, leaseS: 15, maxDelayS: 15 },
  mail: { batch: 8, leaseS: 120, maxDelayS: 300 },
};

/**
 * Delivers what the dispatch table holds, at least once: lease, act, delete. Every effect tolerates a repeat
 * (starts by their workflow id, signals by a request id made of the row, mails by their key), so a crash at
 * any point is harmless. Each lane has its own dispatcher: a mail server that does not answer delays no
 * workflow.
 */
export class Dispatcher {
  constructor(
    private readonly deps: DispatcherDeps,
    private readonly lane: DispatchLane = 'work',
  ) {}

  /** Runs until aborted; the entries under way are finished first. */
  run(signal: AbortSignal): Promise<void> {
    const { listener } = this.deps;
    const pass = async () => {
      const waitMs = (await this.circuit?.waitMs()) ?? 0;
      if (waitMs > 0) return waitMs;
      return (await this.tick()) > 0 ? 0 : this.nextDueMs();
    };
    return createWokenLoop({ name: this.lane, listener, channel: DISPATCH_CHANNEL, pass }).run(signal);
  }

  private get circuit(): Circuit | undefined {
    return this.lane === 'work' ? this.deps.circuit : undefined;
  }

  private async nextDueMs(): Promise<number | null> {
    try {
      const dueMs = await nextEntryDueMs(this.deps.database, this.lane);
      return dueMs !== null && dueMs <= 0 ? AGAIN_MS : dueMs;
    } catch {
      return AGAIN_MS;
    }
  }

  /** One batch. @returns how many entries were delivered, so that 0 means: nothing to do or nothing goes */
  async tick(): Promise<number> {
    const { batch, leaseS } = LANES[this.lane];
    try {
      const most = this.circuit?.allowance(batch) ?? batch;
      const due = await leaseDueEntries(this.deps.database, this.lane, most, leaseS);
      if (due.length === 0) return 0;
      const deliveries = await Promise.all(
        due.map(async (entry) => {
          const delivery = await this.deliver(entry);
          // A sent mail is recorded at once: a crash while others of its batch wait must not send it
          // again.
          if (this.lane === 'mail') await this.settle([delivery]);
          return delivery;
        }),
      );
      if (this.lane === 'work') await this.settle(deliveries);
      return deliveries.filter(({ outcome }) => !isToBeTriedAgain(outcome)).length;
    } catch (error) {
      this.deps.logger.warn({ err: error }, 'dispatch pass failed');
      return 0;
    }
  }

  private async deliver(entry: DueEntry): Promise<Delivery> {
    const deps = { ...this.deps, recordHandOver: (id: number) => recordHandOver(this.deps.database, id) };
    const outcome = await deliverEntry(deps, entry);
    this.circuit?.record(outcome.kind === 'failed' ? outcome.reason : null);
    return { entry, outcome, delayS: retryDelayS(entry.attempts, LANES[this.lane].maxDelayS) };
  }

  private async settle(deliveries: readonly Delivery[]): Promise<void> {
    const givenUp = await settleDeliveries(this.deps.database, deliveries);
    for (const delivery of deliveries) {
      if (givenUp.includes(delivery.entry))
        this.deps.logger.error(
          factsOf(delivery),
          'dispatch entry was refused again and again and is set aside',
        );
      this.report(delivery);
    }
  }

  private report(delivery: Delivery): void {
    const {
      entry: { attempts, entry },
      outcome,
    } = delivery;
    this.deps.observe?.(entry.kind, outcome.kind);
    if (outcome.kind === 'done') return;
    const facts = factsOf(delivery);
    if (outcome.kind === 'dropped')
      this.deps.logger.error(facts, 'dispatch entry can never succeed and was given up');
    else if (attempts % STUCK_AFTER === 0)
      this.deps.logger.error(facts, 'dispatch entry fails again and again, will be tried on');
    else this.deps.logger.warn(facts, 'dispatch entry failed, will be tried again');
  }
}

const factsOf = ({ entry: { id, attempts, entry }, outcome }: Delivery) => ({
  ...{ dispatch_id: id, kind: entry.kind, attempts },
  ...('reason' in outcome && { reason: outcome.reason }),
});
