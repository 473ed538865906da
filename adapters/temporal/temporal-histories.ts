import { Connection } from '@temporalio/client';
import type { WorkflowHistories } from '../../core/ports/workflow-histories.js';
import { isUuid } from '../../core/security/ids.js';
import { callRetries } from './call-retries.js';
import { isMissingWorkflow, translateTemporalError } from './temporal-errors.js';
import { TENANT_ATTRIBUTE, type WorkflowEngineOptions } from './temporal-workflow-engine.js';

const PAGE = 100;
const DEADLINE_MS = 10_000;

interface Execution {
  readonly workflowId: string;
  readonly runId: string;
}

/** Connects on first use. */
export function createWorkflowHistories({ namespace, ...access }: WorkflowEngineOptions): WorkflowHistories {
  const retries = callRetries();
  const connection = Connection.lazy({ ...access, interceptors: retries.interceptors });
  const service = connection.workflowService;
  const timed = <T>(call: () => Promise<T>): Promise<T> =>
    connection.withDeadline(Date.now() + DEADLINE_MS, call).catch(refused);

  const count = async (query: string) =>
    Number((await timed(() => service.countWorkflowExecutions({ namespace, query }))).count);
  const page = async (query: string, nextPageToken = new Uint8Array()) => {
    const found = await timed(() =>
      service.listWorkflowExecutions({ namespace, query, pageSize: PAGE, nextPageToken }),
    );
    const executions = found.executions.flatMap(({ execution }) =>
      execution?.workflowId && execution.runId
        ? [{ workflowId: execution.workflowId, runId: execution.runId }]
        : [],
    );
    return { executions, next: found.nextPageToken };
  };
  const terminate = (workflowExecution: Execution, reason: string, identity: string) =>
    service.terminateWorkflowExecution({ namespace, workflowExecution, reason, identity });
  const each = async (query: string, act: (execution: Execution) => Promise<unknown>) => {
    const { executions } = await page(query);
    await Promise.all(executions.map((execution) => timed(() => act(execution).catch(unlessGone))));
    return executions.length;
  };
  const terminateChosen = async (isChosen: (workflowId: string) => boolean, reason: string) => {
    let ended = 0;
    for (let token = new Uint8Array(), isMore = true; isMore; isMore = token.length > 0) {
      const { executions, next } = await page('ExecutionStatus = "Running"', token);
      const chosen = executions.filter(({ workflowId }) => isChosen(workflowId));
      await Promise.all(
        chosen.map((each) => timed(() => terminate(each, reason, 'restore').catch(unlessGone))),
      );
      ended += chosen.length;
      token = new Uint8Array(next);
    }
    return ended;
  };
  return {
    count: async (tenantId) => ({
      all: await count(ofTenant(tenantId)),
      running: await count(running(tenantId)),
    }),
    terminate: (tenantId, reason) =>
      each(running(tenantId), (execution) => terminate(execution, reason, 'tenant-deletion')),
    terminateChosen,
    remove: (tenantId) =>
      each(ofTenant(tenantId), (workflowExecution) =>
        service.deleteWorkflowExecution({ namespace, workflowExecution }),
      ),
    close: async () => {
      await retries.settle();
      await connection.close();
    },
  };
}

/** The id stands in the text of a query, so its form is checked. */
function ofTenant(tenantId: string): string {
  if (!isUuid(tenantId)) throw new TypeError('not a tenant id');
  return `${TENANT_ATTRIBUTE.name} = "${tenantId}"`;
}

const running = (tenantId: string): string => `${ofTenant(tenantId)} and ExecutionStatus = "Running"`;

function unlessGone(error: unknown): void {
  if (!isMissingWorkflow(error)) throw error;
}

function refused(error: unknown): never {
  throw translateTemporalError(error);
}
