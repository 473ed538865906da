import type { Transaction } from '../orm/transaction.js';

/** Rows that were written less than a minute ago stay as they are. */
export const writeSeen = (tx: Transaction, ids: readonly string[], at: Date): Promise<number> =>
  tx.execute(
    `-- bulk: all endpoints of a page of the watch
     update serving_endpoint set last_heartbeat_at = $2
     where id = any($1) and status = 'RUNNING' and last_heartbeat_at < clock_timestamp() - interval '1 minute'`,
    [ids, at],
  );

/**
 * At rest, as `isAtRest` says, nobody works on an endpoint. One that is RUNNING and wanted is asked by the watch, which notes
 * that it was seen; of a DEGRADED one only its workflow brings back the instances that are missing.
 * @param quietS seconds without a look or an order
 */
export const takeQuiet = (
  tx: Transaction,
  quietS: number,
  count: number,
): Promise<Array<{ readonly id: string; readonly tenantId: string; readonly attempt: number }>> =>
  tx.rows(
    `-- bulk: of all tenants
     update serving_endpoint set last_heartbeat_at = clock_timestamp()
     where id in (
       select id from serving_endpoint
       where not (status = 'RUNNING' and wish = 'run')
         and not (status = 'STOPPED' and wish = 'stop') and not (status = 'FAILED' and wish = 'none')
         and greatest(last_heartbeat_at, updated_at) < clock_timestamp() - make_interval(secs => $1)
       order by id limit $2 for no key update skip locked)
     returning id, tenant_id, attempt`,
    [quietS, count],
  );
