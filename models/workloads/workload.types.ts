import type { WorkloadFile, WorkloadPhase, WorkloadSpec } from '../../core/ports/workload-runner.js';
import type { WakeTarget } from '../outbox/wake.types.js';
import type { ProgramOrigin } from './program-origin.rules.js';

export type WorkloadPurpose = 'training' | 'serving' | 'export';
export type WorkloadWish = 'run' | 'stop' | 'remove';

/** As WorkloadDownload, by the object's key: its host makes the address when it fetches. */
export interface StoredDownload {
  readonly key: string;
  readonly path: string;
  readonly sha256?: string;
  readonly unpack?: boolean;
  readonly keep?: boolean;
}

/** What is to be run, as the row keeps it: without secrets, and without addresses that expire. */
export interface StoredSpec
  extends Pick<WorkloadSpec, 'kind' | 'runtime' | 'entrypoint' | 'args' | 'limits' | 'labels'> {
  /** Absent in rows of releases in which nobody could bring a program: the platform's. */
  readonly origin?: ProgramOrigin;
  readonly files: readonly WorkloadFile[];
  readonly downloads: readonly StoredDownload[];
}

export interface NewWorkload {
  readonly kind: WorkloadPurpose;
  readonly name: string;
  readonly ownerId: string;
  readonly attempt: number;
  readonly spec: StoredSpec;
  /** Variables added to the small allow-listed environment; stored encrypted. */
  readonly env: Readonly<Record<string, string>>;
  readonly replicas: number;
  readonly wake: WakeTarget;
}

/** A workload as those see it who asked for it. */
export interface WorkloadState {
  /** `pending` until the last requested state is applied. */
  readonly phase: WorkloadPhase;
  /** One line for people. */
  readonly message: string;
  readonly endpoints: readonly string[];
  readonly startedAt: Date | null;
  /** Nothing of it runs and, by the last wish, nothing is about to. */
  readonly isDown: boolean;
}
