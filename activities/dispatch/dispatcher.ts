import type { Mailer } from '../../core/ports/mailer.js';
import type { WorkflowEngine } from '../../core/ports/workflow-engine.js';
import type { Logger } from '../../core/logging/logger.js';
import type { Database } from '../../models/orm/database.js';
import type { DispatchEntry } from '../../models/orm/dispatch.js';
import { type DueEntry, leaseDueEntries, postponeEntry, removeEntries } from '../../models/orm/dispatch.repository.js';
import type { Listener } from '../../models/orm/listener.js';
import { retryDelayS } from './retry-delay.js';

export interface DispatcherDeps {
  readonly database: Database;
  readonly listener: Listener;
  readonly engine: WorkflowEngine;
  readonly mailer: Mailer;
  readonly logger: Logger;
  /** Told of each entry that was carried out or failed; for metrics. */
  readonly observe?: (kind: DispatchEntry['kind'], outcome: 'done' | 'failed') => void;
}

export const DISPATCH_CHANNEL = 'visionops_dispatch';
const BATCH = 50;
const POLL_MS = 2000;
/** Longer than the deadline of one call (10 s), so that two dispatchers rarely hold the same entry. */
const LEASE_S = 15;

/**
 * Carries out what the dispatch table holds, at least once: lease, act, delete. Every effect tolerates a repeat (starts by
 * their workflow id, signals by a request id made of the row, mails by their key), so a crash at any point is harmless.
 */
export class Dispatcher {
  private wake: (() => void) | null = null;
  private woken = false;

  constructor(private readonly deps: DispatcherDeps) {}

  /** Runs until aborted; the entries under way are finished first. */
  async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.deps.listener.subscribe({ channel: DISPATCH_CHANNEL, onNotify: () => this.poke(), onUp: () => this.poke() });
    const onAbort = () => this.poke();
    signal.addEventListener('abort', onAbort);
    try {
      while (!signal.aborted) {
        this.woken = false;
        if ((await this.tick()) === 0) await this.rest(signal);
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      unsubscribe();
    }
  }

  /** One batch. @returns how many entries were carried out, so that 0 means: nothing to do or nothing goes */
  async tick(): Promise<number> {
    try {
      const due = await this.deps.database.inPlatform((tx) => leaseDueEntries(tx, BATCH, LEASE_S));
      if (due.length === 0) return 0;
      const failed = new Map<DueEntry, string>();
      await Promise.all(due.map((entry) => this.carryOut(entry).catch((error: unknown) => failed.set(entry, (error as Error).message))));
      await this.settle(due, failed);
      return due.length - failed.size;
    } catch (error) {
      this.deps.logger.warn({ err: error }, 'dispatch pass failed');
      return 0;
    }
  }

  private async settle(due: readonly DueEntry[], failed: ReadonlyMap<DueEntry, string>): Promise<void> {
    await this.deps.database.inPlatform(async (tx) => {
      await removeEntries(
        tx,
        due.filter((entry) => !failed.has(entry)).map((entry) => entry.id),
      );
      for (const [entry, reason] of failed) await postponeEntry(tx, entry.id, retryDelayS(entry.attempts), reason.slice(0, 1000));
    });
    for (const entry of due) this.deps.observe?.(entry.entry.kind, failed.has(entry) ? 'failed' : 'done');
    for (const [entry, reason] of failed)
      this.deps.logger.warn({ dispatch_id: entry.id, kind: entry.entry.kind, attempts: entry.attempts, reason }, 'dispatch entry failed, will be tried again');
  }

  private async carryOut({ id, entry }: DueEntry): Promise<void> {
    const { engine, mailer, logger } = this.deps;
    const key = `dispatch:${id}`;
    switch (entry.kind) {
      case 'start':
        await engine.start(entry.start);
        return;
      case 'signal':
        if (!(await engine.signal(entry.workflowId, entry.signal, entry.args, key)))
          logger.info({ workflow_id: entry.workflowId, signal: entry.signal }, 'signal for a workflow that has ended');
        return;
      case 'cancel':
        await engine.cancel(entry.workflowId);
        return;
      case 'mail':
        await mailer.send(entry.mail, key);
        return;
    }
  }

  private poke(): void {
    this.woken = true;
    this.wake?.();
  }

  private async rest(signal: AbortSignal): Promise<void> {
    if (this.woken || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, POLL_MS);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = null;
  }
}
