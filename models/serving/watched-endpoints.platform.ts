import type { Database } from '../orm/in-tenant.js';
import { dispatchAll } from '../outbox/dispatch.js';
import { workflowsWithEntries } from '../outbox/dispatch.platform.js';
import { servingLook } from './serving-work.types.js';
import { takeQuiet, writeSeen } from './watched-endpoints.sql.js';

/** An endpoint that is up, with what its row says and what runs for it. */
export interface WatchedEndpoint {
  readonly id: string;
  readonly tenantId: string;
  readonly attempt: number;
  /** Addresses that answered at the last look. */
  readonly instances: readonly string[];
  /** Addresses of the instances that run. */
  readonly running: readonly string[];
}

/** The next ones in the order of ids. */
export const listWatchedEndpoints = (
  db: Database,
  afterId: string | null,
  count: number,
): Promise<WatchedEndpoint[]> =>
  db.inPlatform(({ kysely }) =>
    kysely
      .selectFrom('serving_endpoint as e')
      .innerJoin('workload as w', 'w.name', 'e.workloadId')
      .select(['e.id', 'e.tenantId', 'e.attempt', 'e.instances', 'w.endpoints as running'])
      .where('e.status', 'in', ['RUNNING', 'DEGRADED'])
      .where('e.wish', '=', 'run')
      .$if(afterId !== null, (query) => query.where('e.id', '>', afterId as string))
      .orderBy('e.id')
      .limit(count)
      .execute(),
  );

/** For so long an endpoint whose workflow works on it is left alone. */
const QUIET_S = 300;

/**
 * Endpoints that are to change and of which nobody has said anything for minutes: their workflow may be gone. Each is given
 * once in that time.
 */
export const takeQuietEndpoints = (
  db: Database,
  count: number,
): Promise<Array<Pick<WatchedEndpoint, 'id' | 'tenantId' | 'attempt'>>> =>
  db.inPlatform((tx) => takeQuiet(tx, QUIET_S, count));

/**
 * Has the workflows of these look now. One for which something waits already gets nothing more: while Temporal is away
 * those who find an endpoint changed would otherwise add an entry every few seconds, until the backlog is so long that nobody
 * can begin anything.
 */
export const wakeEndpoints = (
  db: Database,
  endpoints: ReadonlyArray<Pick<WatchedEndpoint, 'id' | 'tenantId' | 'attempt'>>,
): Promise<void> =>
  db.inPlatform(async (tx) => {
    const looks = endpoints.map(({ id, tenantId, attempt }) =>
      servingLook({ tenantId, endpointId: id, attempt }),
    );
    const waiting = await workflowsWithEntries(
      tx,
      looks.map(({ workflowId }) => workflowId),
    );
    await dispatchAll(
      tx,
      looks.filter(({ workflowId }) => !waiting.has(workflowId)),
    );
  });

/** Records that these are as their rows say; rows that say so since less than a minute stay as they are. */
export const recordSeen = (db: Database, ids: readonly string[]): Promise<unknown> =>
  db.inPlatform((tx) => writeSeen(tx, ids, new Date()));
