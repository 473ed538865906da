import {
  DefaultLogger,
  type LogLevel,
  NativeConnection,
  Runtime,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import type { RoleQueue } from '../../core/events/role-queues.js';
import { CONTROL_QUEUE } from '../../core/events/task-queues.js';
import type { Logger } from '../../core/logging/logger.js';
import { slotTuner, type TemporalTuning } from './slot-tuner.js';
import type { TemporalAccess } from './temporal-access.js';

export interface TemporalWorkersOptions {
  readonly access: TemporalAccess;
  readonly namespace: string;
  /** File made by scripts/build-workflow-bundle.mjs. */
  readonly bundlePath: string;
  readonly activities: object;
  readonly interceptors: NonNullable<WorkerOptions['interceptors']>;
  /** True: it runs workflows, whose tasks come by the queue `control`. */
  readonly runsWorkflows: boolean;
  /** Queues whose activities it runs. */
  readonly queues: readonly RoleQueue[];
  readonly tuning: TemporalTuning;
  readonly logger: Logger;
}

export interface TemporalWorkers {
  /**
   * Polls until `signal` is aborted; then running activities are cancelled after the grace time and given up at the force
   * time. Rejects when a worker broke for good.
   */
  run(signal: AbortSignal): Promise<void>;
}

/** Running activities get this long to end by themselves; then they are cancelled and tried again elsewhere. */
const GRACE_MS = 3000;
const FORCE_MS = 20_000;

const COMMON = {
  shutdownGraceTime: GRACE_MS,
  shutdownForceTime: FORCE_MS,
  // A heartbeat also carries the answer "cancelled", so it must not be held back for 80 % of the timeout.
  maxHeartbeatThrottleInterval: 2000,
  defaultHeartbeatThrottleInterval: 2000,
} as const satisfies Partial<WorkerOptions>;

/** One worker per task queue over one connection. Throws when Temporal cannot be reached or the namespace is not there yet. */
export async function openTemporalWorkers(options: TemporalWorkersOptions): Promise<TemporalWorkers> {
  const connection = await NativeConnection.connect({ ...options.access });
  const { tuning } = options;
  const poller = { type: 'simple-maximum', maximum: tuning.pollers } as const;
  const tunerOf = slotTuner(tuning);
  const base = {
    ...COMMON,
    workflowTaskPollerBehavior: poller,
    activityTaskPollerBehavior: poller,
    connection,
    namespace: options.namespace,
    interceptors: options.interceptors,
  };
  try {
    const workers: Worker[] = [];
    if (options.runsWorkflows)
      workers.push(await openWorkflowWorker({ ...base, tuner: tunerOf('control') }, options));
    for (const { name, slots } of options.queues)
      workers.push(
        await Worker.create({
          ...base,
          activities: options.activities,
          taskQueue: name,
          tuner: tunerOf(slots),
        }),
      );
    return { run: (signal) => runAll(workers, signal).finally(() => connection.close()) };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Runs workflows alone: their activities have workers of their own, be they of this process or another. */
const openWorkflowWorker = (base: Omit<WorkerOptions, 'taskQueue'>, options: TemporalWorkersOptions) =>
  Worker.create({
    ...base,
    taskQueue: CONTROL_QUEUE,
    workflowBundle: { codePath: options.bundlePath },
    maxCachedWorkflows: options.tuning.cachedWorkflows,
    reuseV8Context: true,
    workflowThreadPoolSize: 1,
  });

async function runAll(workers: readonly Worker[], signal: AbortSignal): Promise<void> {
  const running = workers.map((worker) =>
    worker.run().catch((error: unknown) => {
      // One that broke takes the others along: the process ends and starts afresh.
      workers.forEach(stop);
      throw error;
    }),
  );
  // Only a worker that runs can be shut down, so a stop that came earlier takes effect here.
  if (signal.aborted) workers.forEach(stop);
  else signal.addEventListener('abort', () => workers.forEach(stop), { once: true });
  const results = await Promise.allSettled(running);
  const broken = results.find((result) => result.status === 'rejected');
  if (broken) throw broken.reason;
}

function stop(worker: Worker): void {
  if (worker.getState() === 'RUNNING') worker.shutdown();
}

const LEVELS: Readonly<Record<LogLevel, 'trace' | 'debug' | 'info' | 'warn' | 'error'>> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'debug',
  WARN: 'warn',
  ERROR: 'error',
};

/**
 * Once per process, before the first worker: Temporal's log goes to ours, and signals stay with us.
 * @param metricsAddress host:port on which the library shows its own metrics, for `sdkMetrics` to read; null: nowhere
 */
export function installTemporalRuntime(logger: Logger, metricsAddress: string | null = null): void {
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('INFO', ({ level, message, meta }) =>
      logger[LEVELS[level]](meta ?? {}, message),
    ),
    telemetryOptions: {
      logging: { filter: 'WARN', forward: {} },
      ...(metricsAddress === null ? {} : { metrics: { prometheus: { bindAddress: metricsAddress } } }),
    },
  });
}
