import type { WorkloadRunner } from '../../core/ports/workload-runner.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { writeLogTails } from '../../models/workloads/hosted.platform.js';
import type { HostedWorkload } from '../../models/workloads/hosted.types.js';
import type { LogTailRow } from '../../models/workloads/hosted.sql.js';
import type { WorkloadLog, WorkloadLogs } from '../workloads/workload-logs.js';

/** Kept of each instance. */
const TAIL_BYTES = 64 * 1024;
const WRITE_EVERY_MS = 2_000;

interface Tail {
  readonly offset: number;
  readonly text: string;
}

type Reader = Pick<WorkloadRunner, 'readLog'>;

/** The last lines of each instance become a row, so that people read them from any machine. */
export const endpointLogs = (database: Database): WorkloadLogs => ({
  kind: 'serving',
  open: (_, runner) => new EndpointLog(database, runner),
});

class EndpointLog implements WorkloadLog {
  private readonly tails = new Map<number, Tail>();
  private writtenAt = 0;

  constructor(
    private readonly database: Database,
    private readonly runner: Reader,
  ) {}

  async pump({ tenantId, id: workloadId, name, replicas }: HostedWorkload): Promise<boolean> {
    if (Date.now() - this.writtenAt < WRITE_EVERY_MS) return false;
    this.writtenAt = Date.now();
    const changed: LogTailRow[] = [];
    for (let instance = 0; instance < replicas; instance += 1) {
      const tail = await this.readOn(name, instance);
      if (tail !== null) changed.push({ tenantId, workloadId, instance, tail });
    }
    if (changed.length > 0) await writeLogTails(this.database, changed);
    return false;
  }

  /** Null when nothing was printed since. */
  private async readOn(name: string, instance: number): Promise<string | null> {
    const before = this.tails.get(instance);
    const from = before?.offset ?? -TAIL_BYTES;
    const { text, nextOffset } = await this.runner.readLog(name, from, TAIL_BYTES, instance);
    if (text === '' || nextOffset === before?.offset) return null;
    const all = Buffer.from((before?.text ?? '') + text.replaceAll('\u0000', ' '));
    const tail = all.subarray(Math.max(0, all.length - TAIL_BYTES)).toString('utf8');
    this.tails.set(instance, { offset: nextOffset, text: tail });
    return tail;
  }
}
