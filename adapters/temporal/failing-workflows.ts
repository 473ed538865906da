import { Connection, isGrpcServiceError } from '@temporalio/client';
import type { TemporalAccess } from './temporal-access.js';

/**
 * Running workflows whose tasks fail again and again: Temporal itself marks them (server 1.30 and later), whichever worker
 * fails them, and takes the mark away when one succeeds.
 */
const FAILING = 'ExecutionStatus = "Running" AND TemporalReportedProblems IS NOT NULL';
const INVALID_ARGUMENT = 3;
const SHOWN = 3;

export interface FailingWorkflows {
  readonly total: number;
  /** The first of them, as `<type> <workflow id>`. */
  readonly shown: readonly string[];
}

/** @returns null where Temporal does not mark them. Connects and disconnects. */
export async function failingWorkflows(
  access: TemporalAccess,
  namespace: string,
  deadlineMs: number,
): Promise<FailingWorkflows | null> {
  const connection = Connection.lazy({ ...access, connectTimeout: deadlineMs });
  try {
    return await connection.withDeadline(Date.now() + deadlineMs, () => ask(connection, namespace));
  } catch (error) {
    if (isGrpcServiceError(error) && error.code === INVALID_ARGUMENT) return null;
    throw error;
  } finally {
    await connection.close();
  }
}

async function ask({ workflowService }: Connection, namespace: string): Promise<FailingWorkflows> {
  const { executions } = await workflowService.listWorkflowExecutions({
    ...{ namespace, query: FAILING, pageSize: SHOWN },
  });
  if (executions.length === 0) return { total: 0, shown: [] };
  const { count } = await workflowService.countWorkflowExecutions({ namespace, query: FAILING });
  return {
    total: Math.max(Number(count), executions.length),
    shown: executions.map(({ type, execution }) => `${type?.name} ${execution?.workflowId}`),
  };
}

/** For people; null when no workflow is held up. */
export function failingMessage(found: FailingWorkflows | null): string | null {
  if (found === null)
    return 'Not known: this Temporal does not mark workflows whose tasks fail; server 1.30 and later does.';
  const { total, shown } = found;
  if (total === 0) return null;
  const held =
    total === 1 ? 'workflow cannot go on: its tasks fail' : 'workflows cannot go on: their tasks fail';
  return `${total} ${held} again and again. ${shown.join('; ')}`;
}

/** @throws naming workflows whose tasks fail, or saying that these are not known */
export async function checkWorkflowTasks(...asked: Parameters<typeof failingWorkflows>): Promise<void> {
  const message = failingMessage(await failingWorkflows(...asked));
  if (message !== null) throw new Error(message);
}
