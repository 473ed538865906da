import {
  Client,
  Connection,
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { defaultPayloadConverter, defineSearchAttributeKey, toPayloads } from '@temporalio/common';
import { unavailable } from '../../core/errors/app-error.js';
import type { WorkflowEngine, WorkflowStart } from '../../core/ports/workflow-engine.js';
import { callRetries } from './call-retries.js';
import type { TemporalAccess } from './temporal-access.js';

/** Set on every workflow, so that operations staff can list what belongs to one tenant. */
export const TENANT_ATTRIBUTE = defineSearchAttributeKey('TenantId', 'KEYWORD');
const DEADLINE_MS = 10_000;
/** The library's own limit is two minutes, which work would wait after Temporal has long been back. */
const RECONNECT = { 'grpc.initial_reconnect_backoff_ms': 300, 'grpc.max_reconnect_backoff_ms': 3000 };
const NOT_FOUND = 5;
/** CANCELLED (by a close), DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE. */
const GONE = new Set([1, 4, 8, 14]);
/** PERMISSION_DENIED, UNAUTHENTICATED: the installation's fault, not that of the work. */
const CLOSED = new Set([7, 16]);

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

  return {
    client,
    connection,

    start: (request) => timed(() => start(client, request)),

    signal: (workflowId, signalName, args, key) =>
      timed(() =>
        existing(async () => {
          // The client's own `signal` makes a new request id each time, so a repeat would be a second signal.
          await connection.workflowService.signalWorkflowExecution({
            namespace,
            workflowExecution: { workflowId },
            signalName,
            requestId: key,
            input: { payloads: toPayloads(defaultPayloadConverter, ...args) },
          });
        }),
      ),

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
      workflowId: request.workflowId,
      taskQueue: request.taskQueue,
      args: [request.input],
      // Together they make an id run at most once: the first policy covers a running workflow, the second a finished one.
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      typedSearchAttributes: [{ key: TENANT_ATTRIBUTE, value: request.tenantId ?? 'platform' }],
    });
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

async function isOpen(client: Client, workflowId: string): Promise<boolean> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

async function existing(call: () => Promise<void>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (isGrpcServiceError(error) && error.code === NOT_FOUND) return false;
    throw error;
  }
}

async function translated<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const cause = isGrpcServiceError(error) ? error : (error as Error).cause;
    if (isGrpcServiceError(cause) && GONE.has(cause.code))
      throw unavailable('Temporal cannot be reached right now; durable work starts once it is back.', error);
    if (isGrpcServiceError(cause) && CLOSED.has(cause.code))
      throw unavailable(
        'Temporal refuses the sign-in of the platform: look at SERVICE_TEMPORAL_API_KEY and SERVICE_TEMPORAL_TLS_CERT; durable work starts once it is repaired.',
        error,
      );
    throw error;
  }
}
