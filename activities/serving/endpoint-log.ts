import type { TenantTransaction } from '../../models/orm/transaction.js';
import type { HostedWorkload } from '../../models/workloads/hosted.types.js';
import { findLogCursor } from '../../models/workloads/logs/log.queries.js';
import type { LogRef } from '../../models/workloads/logs/log-ref.js';
import { removeSegmentsBefore } from '../../models/workloads/logs/log-segment.commands.js';
import { inTenantOf } from '../../models/workloads/logs/log-ref.js';
import { findLogOrigin } from '../../models/workloads/workload.queries.js';
import { recordLogOrigin } from '../../models/workloads/workload-log.sql.js';
import { LogCopy, type LogCopyDeps, MAX_LOG_BYTES } from '../workloads/log-copy.js';
import type { WorkloadLog, WorkloadLogs } from '../workloads/workload-logs.js';

const COPY_EVERY_MS = 2_000;

/** The log of each instance, through restarts and on whatever host. */
export const endpointLogs = (deps: Omit<LogCopyDeps, 'runner'>): WorkloadLogs => ({
  kind: 'serving',
  open: (workload, { runner, hostId }) =>
    new EndpointLog({ ...deps, runner }, `${hostId}/${workload.specRevision}`),
});

class EndpointLog implements WorkloadLog {
  private readonly instances = new Map<number, LogCopy>();
  private copiedAt = 0;

  /** @param origin names what the offsets of the instances' own logs count in */
  constructor(
    private readonly deps: LogCopyDeps,
    private readonly origin: string,
  ) {}

  async pump(workload: HostedWorkload, isLast: boolean): Promise<boolean> {
    if (!isLast && Date.now() - this.copiedAt < COPY_EVERY_MS) return false;
    this.copiedAt = Date.now();
    let hasMore = false;
    for (let instance = 0; instance < workload.replicas; instance += 1)
      hasMore = (await this.copyOf(workload, instance).pump(isLast)) || hasMore;
    return hasMore;
  }

  private copyOf({ tenantId, ownerId, id, name }: HostedWorkload, instance: number): LogCopy {
    const known = this.instances.get(instance);
    if (known) return known;
    const ref: LogRef = { tenantId, owner: 'endpoint', ownerId: ownerId ?? '', part: instance };
    const log = new LogCopy(this.deps, {
      ...{ ref, workload: name, instance },
      findCursor: (tx) => this.findCursor(tx, ref, id),
      begun: (tx) => recordLogOrigin(tx, id, instance, this.origin),
      stored: (from, to) => this.trim(ref, from, to),
    });
    this.instances.set(instance, log);
    return log;
  }

  /** What begins anew, or on another host, prints from its first byte. */
  private async findCursor(tx: TenantTransaction, ref: LogRef, workloadId: string) {
    const cursor = await findLogCursor(tx, ref);
    const isSame = (await findLogOrigin(tx, workloadId, ref.part)) === this.origin;
    return isSame ? cursor : { ...cursor, source: 0 };
  }

  /** An endpoint prints for ever: the oldest part goes where a training's log would be cut. */
  private async trim(ref: LogRef, from: number, to: number): Promise<void> {
    const mib = (bytes: number) => Math.floor(bytes / 2 ** 20);
    if (to <= MAX_LOG_BYTES || mib(from) === mib(to)) return;
    await inTenantOf(this.deps.database, ref, (tx) => removeSegmentsBefore(tx, ref, to - MAX_LOG_BYTES));
  }
}
