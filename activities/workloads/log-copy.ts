import type { Logger } from '../../core/logging/logger.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { WorkloadRunner } from '../../core/ports/workload-runner.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { findLogCursor, type LogCursor } from '../../models/workloads/logs/log.queries.js';
import { appendLog } from '../../models/workloads/logs/log.sql.js';
import { inTenantOf, type LogRef } from '../../models/workloads/logs/log-ref.js';
import { LogSeal } from './log-seal.js';

const READ_BYTES = 64 * 1024;
/** Other workloads of the host have their turn then. */
const SLICES_AT_ONCE = 32;
/** A program that floods its log must not fill the store. */
export const MAX_LOG_BYTES = 256 * 2 ** 20;

export interface LogCopyDeps {
  readonly database: Database;
  readonly objects: ObjectStore;
  readonly logger: Logger;
  /** Reads on the host that runs the workload. */
  readonly runner: Pick<WorkloadRunner, 'readLog'>;
}

/** What a log that is copied belongs to. */
export interface CopiedLog {
  readonly ref: LogRef;
  /** Name of the workload that prints it. */
  readonly workload: string;
  readonly instance: number;
  /** Where copying goes on; by default after what is stored. */
  readonly findCursor?: (tx: TenantTransaction) => Promise<LogCursor>;
  /** In the transaction that stores the first piece after `findCursor`. */
  readonly begun?: (tx: TenantTransaction) => Promise<void>;
  /** What is stored of a piece. */
  readonly kept?: (text: string, cursor: LogCursor) => string;
  /** Something was stored. */
  readonly stored?: (from: number, to: number) => Promise<void> | void;
}

/** Copies what a workload prints into rows, exactly once: the next byte to read stands beside the text it follows. */
export class LogCopy {
  private cursor: LogCursor | null = null;
  private hasBegun = false;
  private readonly segments: LogSeal;

  constructor(
    private readonly deps: LogCopyDeps,
    private readonly log: CopiedLog,
  ) {
    this.segments = new LogSeal(deps, log.ref);
  }

  /** @returns whether there was anything */
  async pump(isLast: boolean): Promise<boolean> {
    const most = isLast ? Number.POSITIVE_INFINITY : SLICES_AT_ONCE;
    let slices = 0;
    while (slices < most && (await this.copyOnce())) slices += 1;
    return slices > 0;
  }

  private async copyOnce(): Promise<boolean> {
    const { ref, workload, instance, findCursor, kept, stored } = this.log;
    const { database, runner } = this.deps;
    const cursor =
      this.cursor ?? (await inTenantOf(database, ref, (tx) => findCursor?.(tx) ?? findLogCursor(tx, ref)));
    this.cursor = cursor;
    const { text: read, nextOffset } = await runner.readLog(workload, cursor.source, READ_BYTES, instance);
    if (nextOffset < cursor.source) {
      // The instance has begun a new log.
      this.cursor = { ...cursor, source: 0 };
      return true;
    }
    const clean = read.replaceAll('\u0000', ' ');
    const text = kept?.(clean, cursor) ?? clean;
    if (nextOffset === cursor.source || text === '') return false;
    this.cursor = await this.append(cursor, text, nextOffset);
    if (this.cursor) {
      await stored?.(cursor.stored, this.cursor.stored);
      await this.segments.seal(this.cursor.stored);
    }
    return true;
  }

  private append(cursor: LogCursor, text: string, sourceEnd: number): Promise<LogCursor | null> {
    const { ref, begun } = this.log;
    return inTenantOf(this.deps.database, ref, async (tx) => {
      const next = await appendLog(tx, ref, cursor, text, sourceEnd);
      if (next && !this.hasBegun) await begun?.(tx);
      if (next) tx.afterCommit(() => (this.hasBegun = true));
      return next;
    });
  }
}
