import { audit } from '../../models/audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../../models/audit/audit.types.js';
import type { Database } from '../../models/orm/database.js';
import type { DispatchEntry } from '../../models/orm/dispatch.js';
import { type DispatchLane, type DueEntry, leaseDueEntries, noteHandOver, postponeEntry, refuseEntry, removeEntries, STUCK_AFTER } from '../../models/orm/dispatch.repository.js';
import type { Listener } from '../../models/orm/listener.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';
import { Bell } from '../support/bell.js';
import { type CarryOutDeps, carryOut, type Outcome } from './carry-out.js';
import { retryDelayS } from './retry-delay.js';

export interface DispatcherDeps extends Omit<CarryOutDeps, 'noteHandOver'> {
  readonly database: Database;
  readonly listener: Listener;
  /** Told of each entry that was carried out, failed or was given up; for metrics. */
  readonly observe?: (kind: DispatchEntry['kind'], outcome: Outcome['kind']) => void;
}

export const DISPATCH_CHANNEL = 'visionops_dispatch';
const POLL_MS = 2000;
/**
 * A lease is longer than the deadline of one call (10 s for the workflow engine, several of 8 s for a mail server), so that
 * two dispatchers rarely hold the same entry. A mail waits longer between tries: servers that ask for patience mean it, and
 * nobody's work depends on it.
 */
const LANES: Readonly<Record<DispatchLane, { readonly batch: number; readonly leaseS: number; readonly maxDelayS: number }>> = {
  work: { batch: 50, leaseS: 15, maxDelayS: 15 },
  mail: { batch: 8, leaseS: 120, maxDelayS: 300 },
};

interface Result {
  readonly entry: DueEntry;
  readonly outcome: Outcome;
}

const isToBeTriedAgain = ({ kind }: Outcome): boolean => kind === 'failed' || kind === 'refused';

/**
 * Carries out what the dispatch table holds, at least once: lease, act, delete. Every effect tolerates a repeat (starts by
 * their workflow id, signals by a request id made of the row, mails by their key), so a crash at any point is harmless.
 * Each lane has its own dispatcher: a mail server that does not answer delays no workflow.
 */
export class Dispatcher {
  constructor(
    private readonly deps: DispatcherDeps,
    private readonly lane: DispatchLane = 'work',
  ) {}

  /** Runs until aborted; the entries under way are finished first. */
  async run(signal: AbortSignal): Promise<void> {
    const bell = new Bell(signal);
    const unsubscribe = this.deps.listener.subscribe({ channel: DISPATCH_CHANNEL, onNotify: () => bell.ring(), onUp: () => bell.ring() });
    try {
      while (!signal.aborted) {
        bell.hush();
        if ((await this.tick()) === 0) await bell.wait(POLL_MS);
      }
    } finally {
      unsubscribe();
    }
  }

  /** One batch. @returns how many entries were carried out, so that 0 means: nothing to do or nothing goes */
  async tick(): Promise<number> {
    const { batch, leaseS } = LANES[this.lane];
    try {
      const due = await this.deps.database.inPlatform((tx) => leaseDueEntries(tx, this.lane, batch, leaseS));
      if (due.length === 0) return 0;
      const settle = async (results: readonly Result[]) => {
        await this.deps.database.inPlatform((tx) => this.settle(tx, results));
        for (const result of results) this.report(result);
      };
      const results = await Promise.all(
        due.map(async (entry) => {
          const result = { entry, outcome: await carryOut({ ...this.deps, noteHandOver: (id) => this.deps.database.inPlatform((tx) => noteHandOver(tx, id)) }, entry) };
          // A mail that has gone is noted at once: a crash while others of its batch wait must not send it again.
          if (this.lane === 'mail') await settle([result]);
          return result;
        }),
      );
      if (this.lane === 'work') await settle(results);
      return results.filter(({ outcome }) => !isToBeTriedAgain(outcome)).length;
    } catch (error) {
      this.deps.logger.warn({ err: error }, 'dispatch pass failed');
      return 0;
    }
  }

  private async settle(tx: PlatformTransaction, results: readonly Result[]): Promise<void> {
    await removeEntries(
      tx,
      results.filter(({ outcome }) => !isToBeTriedAgain(outcome)).map(({ entry }) => entry.id),
    );
    for (const { entry, outcome } of results) {
      const delayS = retryDelayS(entry.attempts, LANES[this.lane].maxDelayS);
      if (outcome.kind === 'failed') await postponeEntry(tx, entry.id, delayS, outcome.reason.slice(0, 1000));
      if (outcome.kind === 'refused' && (await refuseEntry(tx, entry.id, delayS, outcome.reason.slice(0, 1000)))) await this.tellOfGivingUp(tx, entry, outcome.reason);
      if (outcome.kind === 'dropped' && entry.entry.kind === 'mail')
        await audit(tx, entry.entry.tenantId, SYSTEM_ACTOR, {
          action: 'mail.drop',
          outcome: 'failed',
          target: { kind: 'mail', id: String(entry.id), label: entry.entry.mail.kind },
          detail: { reason: outcome.reason, attempts: entry.attempts },
        });
    }
  }

  private async tellOfGivingUp(tx: PlatformTransaction, { id, attempts, entry }: DueEntry, reason: string): Promise<void> {
    const [tenantId, label] =
      entry.kind === 'start'
        ? [entry.start.tenantId, entry.start.workflowId]
        : [entry.tenantId, 'workflowId' in entry ? entry.workflowId : entry.kind === 'mail' ? entry.mail.kind : entry.kind];
    const facts = { dispatch_id: id, kind: entry.kind, attempts, reason };
    this.deps.logger.error(facts, 'dispatch entry was refused again and again and is set aside');
    await audit(tx, tenantId, SYSTEM_ACTOR, {
      action: 'dispatch.give_up',
      outcome: 'failed',
      target: { kind: 'dispatch', id: String(id), label },
      detail: { kind: entry.kind, reason: reason.slice(0, 500), attempts },
    });
  }

  private report({ entry: { id, attempts, entry }, outcome }: Result): void {
    this.deps.observe?.(entry.kind, outcome.kind);
    if (outcome.kind === 'done') return;
    const facts = { dispatch_id: id, kind: entry.kind, attempts, reason: outcome.reason };
    if (outcome.kind === 'dropped') this.deps.logger.error(facts, 'dispatch entry can never succeed and was given up');
    else if (attempts % STUCK_AFTER === 0) this.deps.logger.error(facts, 'dispatch entry fails again and again, will be tried on');
    else this.deps.logger.warn(facts, 'dispatch entry failed, will be tried again');
  }
}
