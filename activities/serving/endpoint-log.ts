import type { WorkloadRunner } from '../../core/ports/workload-runner.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { writeLogTails } from '../../models/workloads/hosted.platform.js';
import type { HostedWorkload } from '../../models/workloads/hosted.types.js';
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

  async pump({ tenantId, id, name, replicas }: HostedWorkload, isLast: boolean): Promise<boolean> {
    if (!isLast && Date.now() - this.writtenAt < WRITE_EVERY_MS) return false;
    this.writtenAt = Date.now();
    const changed = new Map<number, Tail>();
    for (let instance = 0; instance < replicas; instance += 1) {
      const tail = await this.readOn(name, instance);
      if (tail !== null) changed.set(instance, tail);
    }
    if (changed.size === 0) return false;
    const rows = [...changed].map(([instance, { text }]) => ({
      tenantId,
      workloadId: id,
      instance,
      tail: text,
    }));
    await writeLogTails(this.database, rows);
    for (const [instance, tail] of changed) this.tails.set(instance, tail);
    return false;
  }

  /** Null when nothing was printed since. */
  private async readOn(name: string, instance: number): Promise<Tail | null> {
    const before = this.tails.get(instance);
    const from = before?.offset ?? -TAIL_BYTES;
    const { text, nextOffset } = await this.runner.readLog(name, from, TAIL_BYTES, instance);
    if (text === '' || nextOffset === before?.offset) return null;
    const all = Buffer.from((before?.text ?? '') + text.replaceAll('\u0000', ' '));
    const kept = all.subarray(Math.max(0, all.length - TAIL_BYTES)).toString('utf8');
    return { offset: nextOffset, text: kept };
  }
}
