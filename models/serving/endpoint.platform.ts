import type { PlatformTransaction } from '../orm/transaction.js';
import type { EndpointStatus } from './serving.types.js';

export interface LiveEndpoint {
  readonly id: string;
  readonly tenantId: string;
  readonly attempt: number;
  readonly workloadId: string;
  readonly status: EndpointStatus;
  readonly instances: readonly string[];
}

/** Endpoints that are up or coming up, of every tenant, after `afterId`; for the watch of the worker. */
export const listLiveEndpoints = (
  tx: PlatformTransaction,
  afterId: string,
  limit: number,
): Promise<LiveEndpoint[]> =>
  tx.kysely
    .selectFrom('serving_endpoint')
    .select(['id', 'tenantId', 'attempt', 'workloadId', 'status', 'instances'])
    .where('status', 'in', ['CONNECTING', 'RUNNING', 'DEGRADED'])
    .where('wish', '=', 'run')
    .where('id', '>', afterId)
    .where('tenantId', 'not in', (eb) => eb.selectFrom('tenant_deletion').select('erasedTenant'))
    .orderBy('id')
    .limit(limit)
    .execute();
