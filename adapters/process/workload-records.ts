import type { WorkloadKind } from '../../core/ports/workload-runner.js';

/**
 * What stands on disk about one workload, one JSON file each. Every file has one writer; all are replaced by rename.
 *
 *   DATA_DIR/workloads/<id>/spec.json                    start(), once
 *                          /intent.json                  start(), scale(), stop(), remove()
 *                          /work                         the workload's own directory (owner: the tenant's uid)
 *                          /instances/<n>/instance.json  the reconciler
 *                                         launch.json    the reconciler, before it starts a shim
 *                                         pid.json       the shim      exit.json  the shim (or the reconciler, when it was lost)
 *                                         stop.json      the reconciler, before SIGTERM
 *                                         log/<offset>.log  the shim
 */
export interface SpecRecord {
  readonly id: string;
  readonly tenantId: string;
  readonly kind: WorkloadKind;
  readonly runtime: string;
  readonly entrypoint: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly memoryBytes: number;
  readonly timeoutS: number | null;
  /** False: there is nothing to fetch, the stager is not started. */
  readonly hasDownloads: boolean;
  /** Null: the workload runs as the platform's own user. */
  readonly uid: number | null;
  readonly createdAt: string;
}

export const LOOPBACK = '127.0.0.1';

export interface IntentRecord {
  readonly desired: 'running' | 'stopped' | 'removed';
  readonly replicas: number;
  readonly graceS: number;
  /** Grows with every call that asks a failed service to try again. */
  readonly generation: number;
}

export interface LaunchRecord {
  /** Counts the starts of this instance from 1; a shim runs each number at most once. */
  readonly attempt: number;
  readonly kind: WorkloadKind;
  readonly argv: readonly string[];
  readonly stageArgv: readonly string[] | null;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly uid: number | null;
  readonly memoryBytes: number;
  readonly timeoutS: number | null;
  readonly logMaxBytes: number;
  /** Services: the port that the instance listens on. */
  readonly port: number | null;
  /** Where it listens; absent in records of 0.1, which knew the loopback address alone. */
  readonly address?: string;
  /**
   * TCP ports that its stager and, of a job, its program may connect to; a rule that cannot be changed while it runs.
   * Null: whatever they like; absent in records of the releases before, which knew no such rule.
   */
  readonly connect?: readonly number[] | null;
  readonly launchedAt: string;
  /** Identity of the machine's current boot: a process of another boot is gone. */
  readonly bootId: string;
}

export interface PidRecord {
  readonly attempt: number;
  readonly pid: number;
  /** Start of the process in clock ticks since boot. */
  readonly start: number;
  /** Services: the port of this very attempt; null for jobs. */
  readonly port: number | null;
  readonly startedAt: string;
}

export type ExitReason =
  | 'stopped'
  | 'suspended'
  | 'unhealthy'
  | 'timeout'
  | 'memory'
  | 'unstartable'
  | 'lost';

export interface ExitRecord {
  readonly attempt: number;
  readonly code: number | null;
  readonly signal: number | null;
  /** Null: the program ended by itself. */
  readonly reason: ExitReason | null;
  readonly stage: 'start' | 'stage' | 'run';
  readonly peakBytes: number;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly error: string | null;
}

export interface InstanceRecord {
  readonly attempt: number;
  /** Jobs: the attempt after whose loss it was started again by itself, which happens once; null = not yet. */
  readonly cutOffAttempt: number | null;
  /** Starts since it was last healthy for a while. */
  readonly tries: number;
  /** The attempt whose end is already counted in `tries`. */
  readonly countedAttempt: number;
  readonly generation: number;
  readonly restarts: number;
  readonly nextStartAt: string | null;
  /** True: it died too often and is left down until someone asks again. */
  readonly hasFailed: boolean;
  /** Services: since when it answers without a gap; null = it does not. */
  readonly readySince: string | null;
  readonly failedProbes: number;
  readonly stopAskedAt: string | null;
  /** What hinders the start, such as a runtime under preparation; shown as the status message. */
  readonly note: string | null;
}

export const FRESH_INSTANCE: InstanceRecord = {
  attempt: 0,
  cutOffAttempt: null,
  tries: 0,
  countedAttempt: 0,
  generation: 0,
  restarts: 0,
  nextStartAt: null,
  hasFailed: false,
  readySince: null,
  failedProbes: 0,
  stopAskedAt: null,
  note: null,
};

/** All that is known of one instance at one moment. */
export interface InstanceView {
  readonly index: number;
  readonly record: InstanceRecord;
  readonly launch: LaunchRecord | null;
  /** Only when they belong to the launch's attempt. */
  readonly pid: PidRecord | null;
  readonly exit: ExitRecord | null;
  readonly isAlive: boolean;
}
