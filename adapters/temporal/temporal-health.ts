import { Connection } from '@temporalio/client';
import type { TemporalAccess } from './temporal-access.js';
import { isMissingNamespace } from './temporal-errors.js';

const SERVICE = 'temporal.api.workflowservice.v1.WorkflowService';
/** `SERVING` of the gRPC health protocol. */
const SERVING = 1;

/**
 * Asks Temporal's frontend by the gRPC health protocol and whether the namespace is there. Connects and disconnects, so
 * that a process that never uses Temporal otherwise keeps no connection.
 */
export async function checkTemporal(
  access: TemporalAccess,
  namespace: string,
  deadlineMs: number,
): Promise<string> {
  const connection = Connection.lazy({ ...access, connectTimeout: deadlineMs });
  try {
    return await connection.withDeadline(Date.now() + deadlineMs, async () => {
      const { status } = await connection.healthService.check({ service: SERVICE });
      if ((status as unknown as number) !== SERVING)
        throw new Error('Temporal answers that it does not serve');
      await connection.workflowService.describeNamespace({ namespace }).catch((error: unknown) => {
        throw isMissingNamespace(error)
          ? new Error(`Temporal answers and has no namespace ${namespace}.`)
          : error;
      });
      return `Serves namespace ${namespace}.`;
    });
  } finally {
    await connection.close();
  }
}
