import { Client, Connection, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { defaultPayloadConverter, defineSearchAttributeKey, toPayloads } from '@temporalio/common';
import type { WorkflowEngine, WorkflowStart } from '../../core/ports/workflow-engine.js';
import { callRetries } from './call-retries.js';
import type { TemporalAccess } from './temporal-access.js';
import { isMissingWorkflow, translateTemporalError } from './temporal-errors.js';

/** Set on every workflow, so that operations staff can list what belongs to one tenant. */
export const TENANT_ATTRIBUTE = defineSearchAttributeKey('TenantId', 'KEYWORD');
const DEADLINE_MS = 10_000;
/** The library's own limit is two minutes, which work would wait after Temporal has long been back. */
const RECONNECT = {
  'grpc.initial_reconnect_backoff_ms': 300,
  'grpc.max_reconnect_backoff_ms': 3000,
  // A connection that went silent is given up after 20 s. Temporal refuses clients that ask more often than every 10 s.
  'grpc.keepalive_time_ms': 15_000,
  'grpc.keepalive_timeout_ms': 5000,
};
/** Who asks whether Temporal answers waits no longer. */
const REACH_MS = 2000;

export interface WorkflowEngineOptions extends TemporalAccess {
  readonly namespace: string;
}

export interface ManagedWorkflowEngine extends WorkflowEngine {
  readonly client: Client;
  readonly connection: Connection;
  close(): Promise<void>;
}

/** Connects on first use: a Temporal that is down makes calls fail, never the process. */
export function createWorkflowEngine(options: WorkflowEngineOptions): ManagedWorkflowEngine {
  const { namespace, ...access } = options;
  const retries = callRetries();
  const connection = Connection.lazy({
    ...access,
    channelArgs: RECONNECT,
    interceptors: retries.interceptors,
  });
  const client = new Client({ connection, namespace });
  const timed = <T>(call: () => Promise<T>): Promise<T> =>
    translated(() => connection.withDeadline(Date.now() + DEADLINE_MS, call));

  // The client's own `signal` makes a new request id each time, so a repeat would be a second signal.
  const signal = (given: { workflowId: string; name: string; args: readonly unknown[]; key: string }) =>
    existing(async () => {
      await connection.workflowService.signalWorkflowExecution({
        namespace,
        workflowExecution: { workflowId: given.workflowId },
        signalName: given.name,
        requestId: given.key,
        input: { payloads: toPayloads(defaultPayloadConverter, ...given.args) },
      });
    });

  return {
    client,
    connection,

    start: (request) => timed(() => start(client, request)),

    signal: (workflowId, name, args, key) => timed(() => signal({ workflowId, name, args, key })),

    signalWithStart: (request, name, args, key) =>
      timed(async () => {
        const { workflowId } = request;
        if (await signal({ workflowId, name, args, key })) return false;
        await client.workflow.signalWithStart(request.workflowType, {
          ...startOptions(request),
          ...{ signal: name, signalArgs: [...args], workflowIdReusePolicy: 'ALLOW_DUPLICATE' },
        });
        return true;
      }),

    cancel: (workflowId) =>
      timed(() =>
        existing(async () => {
          await connection.workflowService.requestCancelWorkflowExecution({
            namespace,
            workflowExecution: { workflowId },
            requestId: `cancel:${workflowId}`,
          });
        }),
      ),

    reach: () =>
      translated(async () => {
        await connection.withDeadline(Date.now() + REACH_MS, () =>
          connection.workflowService.describeNamespace({ namespace }),
        );
      }),

    isOpen: (workflowId) => timed(() => isOpen(client, workflowId)),

    close: async () => {
      await retries.settle();
      await connection.close();
    },
  };
}

async function start(client: Client, request: WorkflowStart): Promise<boolean> {
  try {
    await client.workflow.start(request.workflowType, {
      ...startOptions(request),
      // Together they make an id run at most once: the first policy covers a running workflow, the second a finished one.
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
    });
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

/** Activities and later runs of a workflow inherit its key: whatever worker serves a queue, tenants take turns in it. */
const startOptions = ({ workflowId, taskQueue, input, tenantId }: WorkflowStart) => ({
  ...{ workflowId, taskQueue, args: [input] },
  priority: { fairnessKey: tenantId ?? 'platform' },
  typedSearchAttributes: [{ key: TENANT_ATTRIBUTE, value: tenantId ?? 'platform' }],
});

async function isOpen(client: Client, workflowId: string): Promise<boolean> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';
  } catch (error) {
    if (isMissingWorkflow(error)) return false;
    throw error;
  }
}

async function existing(call: () => Promise<void>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (isMissingWorkflow(error)) return false;
    throw error;
  }
}

async function translated<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw translateTemporalError(error);
  }
}
