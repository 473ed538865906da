import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { type OpsServer, startOpsServer } from '../../../adapters/ops/ops-server.js';
import { checkWorkflowTasks, failingMessage } from '../../../adapters/temporal/failing-workflows.js';
import { freeAddress, sdkMetrics } from '../../../adapters/temporal/sdk-metrics.js';
import { installTemporalRuntime, openTemporalWorkers } from '../../../adapters/temporal/temporal-workers.js';
import {
  createWorkflowEngine,
  type ManagedWorkflowEngine,
} from '../../../adapters/temporal/temporal-workflow-engine.js';
import { QUEUE_SLOTS } from '../../../core/config/temporal-settings.js';
import { CONTROL_QUEUE } from '../../../core/events/task-queues.js';
import { Readiness } from '../../../core/health/readiness.js';
import { createLogger } from '../../../core/logging/logger.js';
import { testNamespace } from '../../setup/engines.js';
import { bundlePath } from '../../workflows/support/lab.js';

const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });

describe('what a worker shows of its work for Temporal', () => {
  const stopping = new AbortController();
  const tenantId = randomUUID();
  let access: { address: string; namespace: string };
  let engine: ManagedWorkflowEngine;
  let ops: OpsServer;
  let running: Promise<void>;

  beforeAll(async () => {
    const sdk = await freeAddress();
    access = await testNamespace();
    engine = createWorkflowEngine(access);
    installTemporalRuntime(logger, sdk);
    const workers = await openTemporalWorkers({
      access: { address: access.address },
      namespace: access.namespace,
      bundlePath,
      activities: { nothing: async () => undefined },
      interceptors: {},
      runsWorkflows: true,
      queues: [{ name: CONTROL_QUEUE, slots: 'control' }],
      tuning: {
        ...{ slots: 'resources', workflowSlots: 40, pollers: 2, cachedWorkflows: 10 },
        mostSlots: { ...QUEUE_SLOTS, control: 7 },
      },
      logger,
    });
    running = workers.run(stopping.signal);
    ops = await startOpsServer({
      port: 0,
      registry: new Registry(),
      host: '127.0.0.1',
      readiness: new Readiness({
        checks: {},
        notes: { workflow_tasks: () => checkWorkflowTasks(access, access.namespace, 2000) },
      }),
      lostLogLines: () => 0,
      more: () => sdkMetrics(sdk),
    });
    await engine.start({
      ...{ workflowType: 'noSuchWorkflow', workflowId: `broken:${tenantId}`, input: {}, tenantId },
      taskQueue: CONTROL_QUEUE,
    });
  });
  afterAll(async () => {
    await engine.client.workflow.getHandle(`broken:${tenantId}`).terminate();
    stopping.abort();
    await running;
    await ops.close();
    await engine.close();
  });

  const get = async (path: string) => (await fetch(`http://127.0.0.1:${ops.port}${path}`)).text();

  it('names a workflow whose tasks fail again and again within a minute, and stays ready', async () => {
    const startedAt = Date.now();
    let state = { ready: false, checks: { workflow_tasks: 'ok' } };
    while (state.checks.workflow_tasks === 'ok' && Date.now() - startedAt < 60_000) {
      state = JSON.parse(await get('/readyz'));
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect(state).toMatchObject({
      ready: true,
      checks: { workflow_tasks: expect.stringContaining(`noSuchWorkflow broken:${tenantId}`) },
    });
  });

  it('shows the metrics of the library beside its own, without a tenant', async () => {
    let text = '';
    for (let left = 20; left > 0 && !text.includes('temporal_workflow_task_execution_failed'); left -= 1) {
      text = await get('/metrics');
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    expect(text).toContain('process_cpu_user_seconds_total');
    expect(text).toContain('temporal_workflow_task_execution_failed');
    // A fixed number of slots is the number that was asked for.
    expect(text).toMatch(
      /temporal_worker_task_slots_available\{[^}]*task_queue="control"[^}]*worker_type="ActivityWorker"[^}]*\} 7/,
    );
    expect(text).not.toContain(tenantId);
  });
});

describe('what is said of workflows whose tasks fail', () => {
  it('is nothing where there are none, and that they are not known where Temporal does not mark them', () => {
    expect(failingMessage({ total: 0, shown: [] })).toBeNull();
    expect(failingMessage({ total: 2, shown: ['a 1', 'b 2'] })).toBe(
      '2 workflows cannot go on: their tasks fail again and again. a 1; b 2',
    );
    expect(failingMessage(null)).toMatch(/^Not known: this Temporal does not mark/);
  });
});
