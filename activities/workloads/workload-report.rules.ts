import type { WorkloadStatus } from '../../core/ports/workload-runner.js';
import type { HostedWorkload, WorkloadReport } from '../../models/workloads/hosted.types.js';

/** Reason of a workload that the host should know and does not. */
const LOST = 'It is not known to its machine any more: its directory was removed.';

/** The report of a host about a workload whose last requested state it has applied. @param status null: the host knows none */
export function reportOf(
  { id, revision, wish }: HostedWorkload,
  status: WorkloadStatus | null,
): WorkloadReport {
  if (status === null)
    return {
      ...{ id, revision, endpoints: [], exitCode: null, startedAt: null, finishedAt: null },
      ...(wish === 'run'
        ? { status: 'failed' as const, reason: LOST }
        : { status: 'stopped' as const, reason: null }),
    };
  const { phase, message, endpoints, exitCode, startedAt, finishedAt } = status;
  return { id, revision, status: phase, reason: message, endpoints, exitCode, startedAt, finishedAt };
}

/** Whether the row says it already. */
export const isSaid = (row: HostedWorkload, report: WorkloadReport): boolean =>
  row.appliedRevision === report.revision &&
  row.status === report.status &&
  row.reason === report.reason &&
  row.exitCode === report.exitCode &&
  row.endpoints.length === report.endpoints.length &&
  report.endpoints.every((endpoint) => row.endpoints.includes(endpoint));
