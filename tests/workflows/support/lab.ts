import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Client, WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { createWorkflowEngine } from '../../../adapters/temporal/temporal-workflow-engine.js';
import { FailureInterceptor } from '../../../activities/support/failures.js';
import {
  CONTROL_QUEUE,
  DATA_QUEUE,
  LONG_DATA_QUEUE,
  LONG_SYNC_QUEUE,
  SYNC_QUEUE,
  workloadQueue,
} from '../../../core/events/task-queues.js';

/** The host name that workflows are given in tests, so that histories do not name the machine. */
export const TEST_HOST = 'test';

export const bundlePath = fileURLToPath(new URL('../../../workflow-bundle.js', import.meta.url));

/** Runs workflows of the shipped bundle with given activities, as the worker process does. */
export interface Lab {
  readonly client: Client;
  /** Starts the workers of all task queues with these activities (real ones or fakes); answers how to stop them. */
  work(activities: object): Promise<() => Promise<void>>;
  start(
    type: string,
    workflowId: string,
    args: readonly unknown[],
  ): Promise<WorkflowHandleWithFirstExecutionRunId>;
  close(): Promise<void>;
}

/** Over the development server: everything but time skipping. */
export async function openLab(server: { address: string; namespace: string }): Promise<Lab> {
  installRuntime();
  const engine = createWorkflowEngine(server);
  const connection = await NativeConnection.connect({ address: server.address });
  return {
    client: engine.client,
    work: (activities) => work({ connection, namespace: server.namespace, identity: 'worker' }, activities),
    start: (type, workflowId, args) => startOn(engine.client, type, workflowId, args, true),
    close: async () => {
      await connection.close();
      await engine.close();
    },
  };
}

/** Over the time-skipping server: a day passes in a second while a workflow sleeps. One at a time in a process. */
export async function openTimeSkippingLab(path: string): Promise<Lab> {
  installRuntime();
  const env = await startTimeSkipping(path);
  return {
    client: env.client as Client,
    work: (activities) =>
      work(
        { connection: env.nativeConnection, namespace: env.namespace ?? 'default', identity: 'worker' },
        activities,
      ),
    // That server knows no search attributes.
    start: (type, workflowId, args) => startOn(env.client as Client, type, workflowId, args, false),
    close: () => env.teardown(),
  };
}

/** The library gives the server five seconds to listen, which it does not always make on a busy machine. */
const STARTS = 12;

async function startTimeSkipping(path: string, left = STARTS): Promise<TestWorkflowEnvironment> {
  try {
    return await TestWorkflowEnvironment.createTimeSkipping({
      server: { executable: { type: 'existing-path', path } },
    });
  } catch (error) {
    if (left <= 1 || !/did not start within/.test(String(error))) throw error;
    return startTimeSkipping(path, left - 1);
  }
}

const TENANT = defineSearchAttributeKey('TenantId', 'KEYWORD');

function startOn(
  client: Client,
  type: string,
  workflowId: string,
  args: readonly unknown[],
  withAttributes: boolean,
): Promise<WorkflowHandleWithFirstExecutionRunId> {
  return client.workflow.start(type, {
    workflowId,
    taskQueue: CONTROL_QUEUE,
    args: [...args],
    ...(withAttributes ? { typedSearchAttributes: [{ key: TENANT, value: 'test' }] } : {}),
  });
}

async function work(
  base: Pick<WorkerOptions, 'connection' | 'namespace' | 'identity'>,
  activities: object,
): Promise<() => Promise<void>> {
  if (!existsSync(bundlePath)) throw new Error('dist/workflow-bundle.js is missing: run "npm run build"');
  const common = {
    ...base,
    activities,
    maxHeartbeatThrottleInterval: 200,
    defaultHeartbeatThrottleInterval: 200,
    interceptors: {
      activity: [
        (context: ConstructorParameters<typeof FailureInterceptor>[0]) => ({
          inbound: new FailureInterceptor(context, () => undefined),
        }),
      ],
    },
  };
  const workers = [
    await Worker.create({ ...common, taskQueue: CONTROL_QUEUE, workflowBundle: { codePath: bundlePath } }),
    ...(await Promise.all(
      [DATA_QUEUE, LONG_DATA_QUEUE, SYNC_QUEUE, LONG_SYNC_QUEUE, workloadQueue(TEST_HOST)].map((taskQueue) =>
        Worker.create({ ...common, taskQueue }),
      ),
    )),
  ];
  const running = workers.map((worker) => worker.run());
  return async () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    await Promise.all(running);
  };
}

let installed = false;
function installRuntime(): void {
  if (installed) return;
  installed = true;
  try {
    Runtime.install({
      logger: new DefaultLogger('ERROR'),
      shutdownSignals: [],
      telemetryOptions: { logging: { filter: 'ERROR', forward: {} } },
    });
  } catch {
    // Another test file in the same process was first.
  }
}
