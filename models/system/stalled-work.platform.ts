import { sql } from 'kysely';
import { anyOf } from '../orm/any-of.js';
import type { Database } from '../orm/in-tenant.js';
import { type ActiveWork, listQuietRows, type WorkKind } from './stalled-work.sql.js';

/**
 * Active rows that nobody changed for `quietS` seconds, in the order of their ids, from after `afterId` on.
 */
export const listQuietWork = (
  db: Database,
  kind: WorkKind,
  quietS: number,
  afterId: string | null,
  limit: number,
): Promise<ActiveWork[]> => db.inPlatform((tx) => listQuietRows(tx, kind, quietS, afterId, limit));

/**
 * Those of the workflow ids that still have something to be dispatched, such as their start; what was given
 * up does not come by itself.
 */
export const awaitingDispatch = (db: Database, workflowIds: readonly string[]): Promise<Set<string>> =>
  db.inPlatform(async ({ kysely }) => {
    const rows = await kysely
      .selectFrom('dispatch')
      .select('workflowId')
      .where('workflowId', '=', anyOf(workflowIds))
      .groupBy('workflowId')
      .having(sql<boolean>`bool_and(given_up_at is null)`)
      .execute();
    return new Set(rows.map((row) => row.workflowId as string));
  });
