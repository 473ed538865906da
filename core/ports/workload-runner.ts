/**
 * What runs the tenants' programs: training jobs and serving endpoints. Shaped after Kubernetes Jobs and Deployments,
 * so that the adapters `process` and `kubernetes` can stand behind the same calls.
 */
export type WorkloadKind = 'job' | 'service';

/** A file placed in the workload's own directory before it starts. */
export interface WorkloadFile {
  /** Relative path below the workload's directory. */
  readonly path: string;
  readonly content: string;
}

/** Something fetched into the workload's own directory by the stager before the entry point runs. */
export interface WorkloadDownload {
  /** A presigned address: the workload never holds keys of the object store. */
  readonly url: string;
  readonly path: string;
  /** Hex digest that the bytes must have. */
  readonly sha256?: string;
  /** True: the bytes are a tar archive (plain or gzip) whose members go below `path`. */
  readonly unpack?: boolean;
  /** True: a file that is there already is left as it is; the program writes newer ones in its place. */
  readonly keep?: boolean;
}

/** What a workload fetches, with addresses that are good now; null for one that nobody knows any more. */
export type FreshDownloads = (id: string) => Promise<readonly WorkloadDownload[] | null>;

export interface WorkloadSpec {
  /** Deterministic name, at most 63 characters of a-z, 0-9 and '-': `tr-<experiment>-<attempt>`, `ep-<name>-<...>`. */
  readonly id: string;
  readonly tenantId: string;
  readonly kind: WorkloadKind;
  /** Runtime folder below docker/runtimes, such as `sklearn`. */
  readonly runtime: string;
  /** A file of the runtime (`train.py`, `serve.py`) or, with a leading `./`, one of the workload's own directory. */
  readonly entrypoint: string;
  readonly args: readonly string[];
  /** Variables added to the small allow-listed environment. Never object-store keys or database addresses. */
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly WorkloadFile[];
  /**
   * Fetched before the entry point runs. A file or download named `manifest.json` may list the dataset
   * (`[{url, path, sha256}]`), which is then fetched below `dataset/`: see docs/reference/runtime-contract.md.
   */
  readonly downloads: readonly WorkloadDownload[];
  readonly labels: Readonly<Record<string, string>>;
  readonly limits: { readonly memoryBytes: number /** null = no limit */; readonly timeoutS: number | null };
  /** Services only: number of instances; each gets its own port. */
  readonly replicas: number;
}

export type WorkloadPhase = 'pending' | 'running' | 'succeeded' | 'failed' | 'stopped';

export interface WorkloadStatus {
  readonly id: string;
  readonly phase: WorkloadPhase;
  /** Null while running or when the process was killed by a signal. */
  readonly exitCode: number | null;
  /** One line for people: why it is in this phase (OOM, timeout, killed, exit code meaning). */
  readonly message: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly restarts: number;
  /** Services: number of instances that are wanted, or were before a stop. */
  readonly replicas: number;
  /** Services: base URLs (http://127.0.0.1:PORT) of instances that answer. */
  readonly endpoints: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

export interface LogSlice {
  readonly text: string;
  /** Byte offset after the text, to be passed to the next call. */
  readonly nextOffset: number;
  /** True when the workload has ended and there is no more text. */
  readonly eof: boolean;
}

export interface RuntimeAvailability {
  readonly runtime: string;
  readonly available: boolean;
  /** Null when available. */
  readonly reason: string | null;
  /** Whether the operator has left it off, which is no fault of the host. Absent in rows of releases that knew no such runtime. */
  readonly isOff?: boolean;
  /** Whether its environment is made once somebody needs it. Absent where it is there, and in rows of earlier releases. */
  readonly isUnmade?: boolean;
}

export interface WorkloadRunner {
  /** Which trust boundary stands between tenants' workloads, for the card and /system/health. */
  readonly isolation: {
    readonly kind: 'pod' | 'uid' | 'none';
    readonly explanation: string;
    /** TCP ports that workloads may connect to; null, or absent as of earlier releases: all. */
    readonly ports?: readonly number[] | null;
  };
  /** GPU slots that workloads may ask for; 0: this installation has none. */
  readonly gpuSlots: number;
  /** Makes sure a workload with this id runs or ran. Idempotent: an existing id is left as it is. Returns once the request is stored. */
  start(spec: WorkloadSpec, signal?: AbortSignal): Promise<void>;
  /**
   * Changes the number of instances of a service; 0 stops it and keeps its spec; a service that failed is tried again.
   * Idempotent. @throws AppError not_found for an unknown id
   */
  scale(id: string, replicas: number): Promise<void>;
  /**
   * SIGTERM to the whole group, SIGKILL after `graceS`; answers when all processes have ended. Idempotent; unknown ids are
   * no error. @throws AppError service_unavailable when no worker did it in time (the request stays stored)
   */
  stop(id: string, graceS: number): Promise<void>;
  /** Stops what runs and removes directory and records; answers when they are gone. Idempotent. */
  remove(id: string): Promise<void>;
  /** Null when the runner knows no such workload. */
  status(id: string): Promise<WorkloadStatus | null>;
  /** All workloads that carry every one of these labels. */
  list(labels: Readonly<Record<string, string>>): Promise<WorkloadStatus[]>;
  /** Tenants with data on this host, even without workloads. */
  tenants(): Promise<string[]>;
  /** Removes what is kept of a tenant beside its workloads. Idempotent; after the last of them is gone. */
  forgetTenant(tenantId: string): Promise<void>;
  /**
   * stdout and stderr as one stream from a byte offset, at most `maxBytes`, cut at a line end where possible. A negative
   * offset counts from the end. `instance` is the 0-based instance of a service. Unknown ids give an empty slice with eof.
   */
  readLog(id: string, offset: number, maxBytes: number, instance?: number): Promise<LogSlice>;
  /** Runtimes that this installation can run, with the reason where it cannot. */
  runtimes(): Promise<readonly RuntimeAvailability[]>;
}

/** The runner of a machine, which applies what was asked of it. */
export interface LocalRunner extends WorkloadRunner {
  /** Until the signal is aborted; what runs then goes on running. One process of the machine at a time calls it. */
  run(signal: AbortSignal): Promise<void>;
}
