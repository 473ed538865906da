import type { WorkloadPhase } from '../../core/ports/workload-runner.js';
import type { StoredSpec, WorkloadPurpose, WorkloadWish } from './workload.types.js';

/** A workload as the agent of its host sees it: what is wanted, and what was reported last. */
export interface HostedWorkload {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly kind: WorkloadPurpose;
  readonly ownerId: string | null;
  readonly attempt: number;
  readonly wish: WorkloadWish;
  readonly revision: number;
  readonly appliedRevision: number;
  readonly replicas: number;
  readonly graceS: number;
  readonly specRevision: number;
  readonly status: WorkloadPhase;
  readonly reason: string | null;
  readonly endpoints: readonly string[];
  readonly exitCode: number | null;
}

/** What is to be run of it. */
export interface HostedSpec {
  readonly spec: StoredSpec;
  readonly sealedEnv: string | null;
}

/** What a host says of a workload. */
export interface WorkloadReport {
  readonly id: string;
  /** The wish that it is about; a later one makes the report void. */
  readonly revision: number;
  readonly status: WorkloadPhase;
  readonly reason: string | null;
  readonly endpoints: readonly string[];
  readonly exitCode: number | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}
