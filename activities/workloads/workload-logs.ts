import type { HostedWorkload } from '../../models/workloads/hosted.types.js';
import type { WorkloadRunner } from '../../core/ports/workload-runner.js';

/** Where what a workload prints goes. */
export interface WorkloadLog {
  /**
   * Copies what is new, of a flood a part.
   * @param isLast nothing more will come: copies all that is left
   * @returns whether there was anything
   */
  pump(workload: HostedWorkload, isLast: boolean): Promise<boolean>;
}

/** Where a workload runs. */
export interface LogPlace {
  readonly runner: Pick<WorkloadRunner, 'readLog'>;
  readonly hostId: string;
}

/** What a domain does with the log of its workloads; asked on the host that runs them. */
export interface WorkloadLogs {
  readonly kind: HostedWorkload['kind'];
  /** @param workload with the revision of what is run, whose log it is */
  open(workload: HostedWorkload, place: LogPlace): WorkloadLog;
}
