import { Connection } from '@temporalio/client';
import type { TemporalAccess } from './temporal-access.js';
import { isMissingNamespace } from './temporal-errors.js';

const SERVICE = 'temporal.api.workflowservice.v1.WorkflowService';
/** `SERVING` of the gRPC health protocol. */
const SERVING = 1;

/** Temporal has no call that reads its dynamic configuration, so a server that others run may serve in the order of arrival. */
const UNSEEN_TURNS =
  'It does not show whether tenants take turns in its task queues: make sure that its dynamic configuration has matching.enableFairness (docs/guide/production.md).';

/**
 * Asks Temporal's frontend by the gRPC health protocol and whether the namespace is there. Connects and disconnects, so
 * that a process that never uses Temporal otherwise keeps no connection.
 * @param isOurs whether the platform started it, and so knows its configuration
 */
export async function checkTemporal(
  access: TemporalAccess,
  namespace: string,
  deadlineMs: number,
  isOurs = true,
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
      return `Serves namespace ${namespace}.${isOurs ? '' : ` ${UNSEEN_TURNS}`}`;
    });
  } finally {
    await connection.close();
  }
}
