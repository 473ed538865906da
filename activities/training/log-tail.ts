import type { EventBus } from '../../core/ports/event-bus.js';
import type { Logger } from '../../core/logging/logger.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { WorkloadRunner } from '../../core/ports/workload-runner.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { logEvent } from '../../models/training/experiment-events.js';
import { workloadId } from '../../models/training/experiment-state.rules.js';
import type { AttemptRef } from '../../models/training/experiment.types.js';
import { findLogCursor, type LogCursor } from '../../models/training/logs/log.queries.js';
import { appendLog } from '../../models/training/logs/log.sql.js';
import type { WorkloadLog, WorkloadLogs } from '../workloads/workload-logs.js';
import { inTenant } from './attempt.activities.js';
import { LogSeal } from './log-seal.js';

const READ_BYTES = 64 * 1024;
/** Other workloads of the host have their turn then. */
const SLICES_AT_ONCE = 32;
/** A program that floods its log must not fill the store. */
const MAX_LOG_BYTES = 256 * 2 ** 20;
const CUT_NOTE = '\n[The log is longer than 256 MiB; the rest is not kept.]\n';

export interface TailDeps {
  readonly database: Database;
  readonly objects: ObjectStore;
  readonly logger: Logger;
  readonly events: EventBus;
  /** Runner of the host that runs the job. */
  readonly runner: Pick<WorkloadRunner, 'readLog'>;
}

/** The log of each attempt, where people and the run's artifacts find it. */
export const trainingLogs = (deps: Omit<TailDeps, 'runner'>): WorkloadLogs => ({
  kind: 'training',
  open: ({ tenantId, ownerId, attempt }, runner) =>
    new LogTail({ ...deps, runner }, { tenantId, experimentId: ownerId ?? '', attempt }),
});

/** Copies the log of a job into rows, exactly once: the next byte to read stands beside the text it follows. */
export class LogTail implements WorkloadLog {
  private cursor: LogCursor | null = null;
  private readonly segments: LogSeal;

  constructor(
    private readonly deps: TailDeps,
    private readonly ref: AttemptRef,
  ) {
    this.segments = new LogSeal(deps, ref);
  }

  async pump(_: unknown, isLast: boolean): Promise<boolean> {
    const most = isLast ? Number.POSITIVE_INFINITY : SLICES_AT_ONCE;
    let slices = 0;
    while (slices < most && (await this.copyOnce())) slices += 1;
    return slices > 0;
  }

  private async copyOnce(): Promise<boolean> {
    const { database, runner, events } = this.deps;
    const cursor = this.cursor ?? (await inTenant(database, this.ref, (tx) => findLogCursor(tx, this.ref)));
    this.cursor = cursor;
    if (cursor.stored >= MAX_LOG_BYTES) return false;
    const slice = await runner.readLog(
      workloadId(this.ref.experimentId, this.ref.attempt),
      cursor.source,
      READ_BYTES,
    );
    if (slice.nextOffset === cursor.source || slice.text === '') return false;
    const text =
      slice.text.replaceAll('\u0000', ' ') +
      (cursor.stored + Buffer.byteLength(slice.text) >= MAX_LOG_BYTES ? CUT_NOTE : '');
    this.cursor = await inTenant(database, this.ref, (tx) =>
      appendLog(tx, this.ref, cursor, text, slice.nextOffset),
    );
    if (this.cursor) {
      events.publish([logEvent(this.ref, cursor.stored, this.cursor.stored)]);
      await this.segments.seal(this.cursor.stored);
    }
    return true;
  }
}
