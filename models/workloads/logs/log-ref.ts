import { asTenantId } from '../../../core/security/ids.js';
import type { Database } from '../../orm/in-tenant.js';
import type { TenantTransaction } from '../../orm/transaction.js';

/** Whose log it is: the one of an attempt of a training, or of an instance of an endpoint. */
export interface LogRef {
  readonly tenantId: string;
  readonly owner: 'experiment' | 'endpoint';
  readonly ownerId: string;
  /** The number of the attempt; the 0-based instance. */
  readonly part: number;
}

/** Where logs of each owner lie. All columns but those of the key are alike. */
export const LOG_TABLES = {
  experiment: { chunks: 'log_chunk', segments: 'log_segment', id: 'experiment_id', part: 'attempt' },
  endpoint: {
    ...{ chunks: 'endpoint_log_chunk', segments: 'endpoint_log_segment' },
    ...{ id: 'endpoint_id', part: 'instance' },
  },
} as const satisfies Readonly<Record<LogRef['owner'], Readonly<Record<string, string>>>>;

export const inTenantOf = <T>(
  database: Database,
  ref: LogRef,
  work: (tx: TenantTransaction) => Promise<T>,
): Promise<T> => database.inTenant(asTenantId(ref.tenantId), work);
