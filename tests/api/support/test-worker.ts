import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { MockActivityEnvironment } from '@temporalio/testing';
import { temporalTuning } from '../../../adapters/temporal/slot-tuner.js';
import { installTemporalRuntime, openTemporalWorkers } from '../../../adapters/temporal/temporal-workers.js';
import { suspendWorkloads } from '../../../adapters/process/suspend-workloads.js';
import { openWorker } from '../../../activities/container.js';
import { superviseLoop } from '../../../activities/support/background.js';
import { FailureInterceptor } from '../../../activities/support/failures.js';
import { createWorkerMetrics } from '../../../activities/support/worker-metrics.js';
import type { Settings } from '../../../core/config/settings.js';
import { createLogger } from '../../../core/logging/logger.js';
import { queuesOf } from '../../../core/events/role-queues.js';

export interface TestWorker {
  /** What activities threw, newest last; for the message of a test that waited in vain. */
  readonly failures: string[];
  /** Runs one task of the housekeeping now. @returns how much went */
  tidy(task: string): Promise<number>;
  close(): Promise<void>;
}

const bundlePath = fileURLToPath(new URL('../../../workflow-bundle.js', import.meta.url));

let hasRuntime = false;

/** Workers of one process share it. */
function installRuntimeOnce(logger: Parameters<typeof installTemporalRuntime>[0]): void {
  if (!hasRuntime) installTemporalRuntime(logger);
  hasRuntime = true;
}

/** The worker in this process, wired as it ships, beside an API with the same settings. */
export async function startTestWorker(settings: Settings): Promise<TestWorker> {
  const { logger } = createLogger({ name: 'test-worker', level: 'fatal', file: null });
  const stopping = new AbortController();
  const failures: string[] = [];
  const parts = await openWorker(settings, logger);
  await parts.prepareBucket();
  await parts.prepareTemporal();
  await parts.listener.start();
  installRuntimeOnce(logger);
  const workers = await openTemporalWorkers({
    access: { address: settings.TEMPORAL_ADDRESS },
    namespace: settings.TEMPORAL_NAMESPACE,
    bundlePath,
    activities: parts.activities,
    interceptors: {
      activity: [
        (context) => ({
          inbound: new FailureInterceptor(context, (activity, attempt, error) =>
            failures.push(`${activity} #${attempt}: ${(error as Error).stack}`),
          ),
        }),
      ],
    },
    runsWorkflows: settings.SERVICE_WORKER_ROLES.has('workflows'),
    queues: queuesOf(settings.SERVICE_WORKER_ROLES, hostname()),
    tuning: temporalTuning(settings),
    logger,
  });
  const running = workers.run(stopping.signal);
  const loops = parts
    .background(
      createWorkerMetrics(async () => ({ count: 0, oldestS: 0, stuck: 0 })),
      () => logger.error('the schema was taken away'),
    )
    .map((loop) => superviseLoop(loop, stopping.signal, logger));
  return {
    failures,
    tidy: (task) =>
      new MockActivityEnvironment().run(
        parts.activities.runMaintenanceTask as (name: string) => Promise<number>,
        task,
      ),
    async close() {
      stopping.abort();
      await running.catch(() => undefined);
      await Promise.all(loops);
      await suspendWorkloads(settings.SERVICE_DATA_DIR, 0);
      await parts.close();
    },
  };
}
