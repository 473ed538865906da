import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ServingActivities } from '../activities/serving/serving.activities.js';
import { installTemporalRuntime, openTemporalWorkers } from '../adapters/temporal/temporal-workers.js';
import {
  createWorkflowEngine,
  type ManagedWorkflowEngine,
} from '../adapters/temporal/temporal-workflow-engine.js';
import { NAMESPACE, startTemporal } from '../cli/engines/temporal.js';
import { QUEUE_SLOTS } from '../core/config/temporal-settings.js';
import { CONTROL_QUEUE } from '../core/events/task-queues.js';
import { createLogger } from '../core/logging/logger.js';
import { servingStart, servingWorkflowId } from '../models/serving/serving-work.types.js';
import { longOrShort } from './harness/mode.js';
import { newDataDir } from './harness/platform.js';
import { atMost, type BenchResult } from './harness/results.js';

const ENDPOINTS = longOrShort(1000, 200);
const WATCHED_S = longOrShort(120, 40);
const AT_ONCE = 20;
const TENANT = '00000000-0000-4000-8000-000000000001';

const inputOf = (n: number) => ({
  tenantId: TENANT,
  endpointId: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  attempt: 1,
});

/** Events that endpoints at rest cost Temporal: their workflows, with stand-ins that are always up. */
export async function idleEndpoints(): Promise<BenchResult> {
  const dataDir = newDataDir();
  const server = await startTemporal({ dataDir, inMemory: true });
  const access = { address: `127.0.0.1:${server.ports.temporal}`, namespace: NAMESPACE };
  const { logger } = createLogger({ level: 'fatal', name: 'bench', file: null });
  installTemporalRuntime(logger);
  const engine = createWorkflowEngine(access);
  const stopping = new AbortController();
  const unexpected = () => Promise.reject(new Error('not expected'));
  const activities: ServingActivities = {
    lookAtEndpoint: async () => ({ kind: 'status', status: 'RUNNING' }),
    ...{ giveUpEndpoint: unexpected, releaseEndpoint: unexpected },
  };
  const workers = await openTemporalWorkers({
    ...{
      access: { address: access.address },
      namespace: access.namespace,
      activities,
      logger,
      interceptors: {},
    },
    bundlePath: fileURLToPath(new URL('../workflow-bundle.js', import.meta.url)),
    runsWorkflows: true,
    queues: [{ name: CONTROL_QUEUE, slots: 'control' }],
    tuning: { slots: 'fixed', pollers: 4, cachedWorkflows: ENDPOINTS, mostSlots: QUEUE_SLOTS },
  });
  const running = workers.run(stopping.signal);
  try {
    return await measure(engine);
  } finally {
    stopping.abort();
    await running;
    await engine.close();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measure(engine: ManagedWorkflowEngine): Promise<BenchResult> {
  await inTurns(async (n) => void (await engine.start(servingStart(inputOf(n)))));
  // The first look of each is over once nothing is added any more.
  let before = await events(engine);
  for (let last = -1; last !== before; before = await events(engine)) {
    last = before;
    await sleep(2000);
  }
  const startedAt = performance.now();
  await sleep(WATCHED_S * 1000);
  const after = await events(engine);
  const seconds = (performance.now() - startedAt) / 1000;
  const perSecond = (after - before) / seconds;
  return {
    figures: {
      endpoints: ENDPOINTS,
      watched_s: Math.round(seconds),
      events_of_a_start: Math.round((before / ENDPOINTS) * 10) / 10,
      events_per_s: Math.round(perSecond * 100) / 100,
    },
    goals: [atMost('events a second of a thousand endpoints at rest', (perSecond / ENDPOINTS) * 1000, 10)],
  };
}

async function events(engine: ManagedWorkflowEngine): Promise<number> {
  let sum = 0;
  await inTurns(async (n) => {
    const { historyLength } = await engine.client.workflow
      .getHandle(servingWorkflowId(inputOf(n)))
      .describe();
    sum += historyLength;
  });
  return sum;
}

async function inTurns(work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < ENDPOINTS) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
