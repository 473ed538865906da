import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startOpsServer } from '../adapters/ops/ops-server.js';
import { type Settings, SettingsError, takeSettings } from '../core/config/settings.js';
import { type Check, Readiness } from '../core/health/readiness.js';
import { createLogger, type Logger, type ProcessLog } from '../core/logging/logger.js';
import { dispatchBacklog } from '../models/outbox/dispatch.platform.js';
import { queuesOf } from '../core/events/role-queues.js';
import { temporalAccess } from '../adapters/temporal/temporal-access.js';
import { checkWorkflowTasks } from '../adapters/temporal/failing-workflows.js';
import { freeAddress, sdkMetrics } from '../adapters/temporal/sdk-metrics.js';
import type { TemporalWorkers } from '../adapters/temporal/temporal-workers.js';
import { openWorker, type WorkerParts } from './container.js';
import { pause, superviseLoop } from './support/background.js';
import { installCrashPolicy } from './support/uncaught-errors.js';
import { createWorkerMetrics } from './support/worker-metrics.js';

/** Within the time that a readiness check may take. */
const NOTE_MS = 2000;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 5000;
/** After this long a stop no longer waits for anything. */
const STOP_DEADLINE_MS = 25_000;

/** The worker process: Temporal workers, dispatcher and background loops, until SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const settings = takeSettings(process.env);
  const { logger, lostLines, exit } = createLogger({
    level: settings.SERVICE_LOG_LEVEL,
    name: 'worker',
    file: settings.SERVICE_LOG_FILE ?? null,
  });
  installCrashPolicy(logger, exit);
  const stopping = new AbortController();
  const parts = await openWorker(settings, logger);
  const metrics = createWorkerMetrics(() => dispatchBacklog(parts.database));
  const sdkAddress = await freeAddress();
  let [polling, hasBucket] = [false, false];
  const readiness = new Readiness({
    checks: {
      ...parts.checks,
      polling: unless(() => polling, 'not polling Temporal yet'),
      bucket: unless(() => hasBucket, 'the bucket of the object store could not be prepared yet'),
    },
    notes: {
      ...parts.notes,
      workflow_tasks: () =>
        checkWorkflowTasks(temporalAccess(settings), settings.TEMPORAL_NAMESPACE, NOTE_MS),
    },
  });
  const ops = await startOpsServer({
    host: settings.SERVICE_OPS_HOST,
    port: settings.SERVICE_OPS_PORT,
    registry: metrics.registry,
    lostLogLines: lostLines,
    more: () => sdkMetrics(sdkAddress),
    readiness,
  });
  logger.info({ ops_port: ops.port }, 'worker started');
  stopOnSignals(stopping, readiness, logger, exit);

  await parts.schema.untilServable(
    (reason) => logger.error({ reason }, 'the worker does not work yet'),
    stopping.signal,
  );
  await parts.endEarlierWorkloads();
  await parts.listener.start();
  // SIGTERM to itself: the orderly way to end, workloads stay as they are.
  const loops = parts
    .background(metrics, () => process.kill(process.pid, 'SIGTERM'))
    .map((loop) => superviseLoop(loop, stopping.signal, logger));
  // Beside polling: most work needs no object.
  const prepareBucket = async () => {
    await parts.prepareBucket();
    hasBucket = true;
  };
  void withBackOff(prepareBucket, 'the object store', stopping.signal, logger);
  await pollTemporal(settings, parts, metrics, sdkAddress, stopping.signal, logger, (now) => {
    polling = now;
  });
  await Promise.all(loops);
  await parts.close();
  await ops.close();
  logger.info('worker stopped');
  await exit(0);
}

/** Connects with back-off for as long as it takes, then polls until stopped. A worker that breaks ends the process. */
async function pollTemporal(
  settings: Settings,
  parts: WorkerParts,
  metrics: ReturnType<typeof createWorkerMetrics>,
  sdkAddress: string,
  signal: AbortSignal,
  logger: Logger,
  onPolling: (now: boolean) => void,
): Promise<void> {
  const temporal = await import('../adapters/temporal/temporal-workers.js');
  const { temporalTuning } = await import('../adapters/temporal/slot-tuner.js');
  const { FailureInterceptor } = await import('./support/failures.js');
  temporal.installTemporalRuntime(logger, sdkAddress);
  const report = (activity: string, attempt: number, error: unknown) => {
    metrics.failures.inc({ activity });
    logger.warn({ err: error, activity, attempt }, 'activity attempt failed');
  };
  const open = async (): Promise<TemporalWorkers> => {
    await parts.prepareTemporal();
    return temporal.openTemporalWorkers({
      access: temporalAccess(settings),
      namespace: settings.TEMPORAL_NAMESPACE,
      bundlePath: bundlePath(),
      activities: parts.activities,
      interceptors: { activity: [(context) => ({ inbound: new FailureInterceptor(context, report) })] },
      runsWorkflows: settings.SERVICE_WORKER_ROLES.has('workflows'),
      queues: queuesOf(settings.SERVICE_WORKER_ROLES, hostname()),
      tuning: temporalTuning(settings),
      logger,
    });
  };
  const workers = await withBackOff(open, 'Temporal', signal, logger);
  if (!workers) return;
  onPolling(true);
  await workers.run(signal);
  onPolling(false);
}

async function withBackOff<T>(
  open: () => Promise<T>,
  what: string,
  signal: AbortSignal,
  logger: Logger,
): Promise<T | null> {
  for (let delayMs = FIRST_RETRY_MS; !signal.aborted; delayMs = Math.min(delayMs * 2, MAX_RETRY_MS)) {
    try {
      return await open();
    } catch (error) {
      logger.warn({ reason: (error as Error).message, retry_in_ms: delayMs }, `${what} cannot be used yet`);
      await pause(delayMs, signal);
    }
  }
  return null;
}

const unless =
  (isSo: () => boolean, reason: string): Check =>
  async () => {
    if (!isSo()) throw new Error(reason);
  };

function stopOnSignals(
  stopping: AbortController,
  readiness: Readiness,
  logger: Logger,
  exit: ProcessLog['exit'],
): void {
  const stop = (name: string) => {
    if (stopping.signal.aborted) return;
    logger.info({ signal: name }, 'worker stopping');
    readiness.refuse('stopping');
    stopping.abort();
    setTimeout(() => {
      logger.error('worker did not stop in time');
      void exit(1);
    }, STOP_DEADLINE_MS).unref();
  };
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => stop(name));
}

/** Beside the compiled folders; when run from sources, below dist. */
function bundlePath(): string {
  const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
  const beside = path.join(root, 'workflow-bundle.js');
  return existsSync(beside) ? beside : path.join(root, 'dist', 'workflow-bundle.js');
}

main().catch((error: unknown) => {
  process.stderr.write(
    error instanceof SettingsError
      ? `${error.message}\n`
      : `worker could not start: ${(error as Error).stack}\n`,
  );
  process.exit(1);
});
