import { sql } from 'kysely';
import type { Database } from '../orm/in-tenant.js';
import { ProcessHeartbeat } from './process-heartbeat.entity.js';
import { NO_FACTS, type ProcessIdentity } from './process-heartbeat.types.js';
import { writeHeartbeat } from './processes.sql.js';

export interface Heartbeat {
  readonly place: string;
  readonly startedAt: Date;
  /** Seconds since it was last seen, by the database's clock. */
  readonly ageS: number;
}

/** Ages are compared between machines, so the one clock that all of them share sets and reads them. */
const AGE_S = sql<number>`extract(epoch from clock_timestamp() - seen_at)::float8`;

/** Says that the process is alive; processes not seen for a day are forgotten. */
export const beat = (db: Database, who: ProcessIdentity): Promise<void> =>
  db.inPlatform((tx) => writeHeartbeat(tx, who, NO_FACTS));

/** The process stopped in order. */
export const forgetHeartbeat = (db: Database, { process, place }: ProcessIdentity): Promise<unknown> =>
  db.inPlatform(({ em }) => em.nativeDelete(ProcessHeartbeat, { process, place }));

/** The workers, most recently seen first, at most 100. */
export const listWorkers = (db: Database): Promise<Heartbeat[]> =>
  db.inPlatform(({ kysely }) =>
    kysely
      .selectFrom('process_heartbeat')
      .select(['place', 'startedAt', AGE_S.as('ageS')])
      .where('process', '=', 'worker')
      .orderBy('seenAt', 'desc')
      .limit(100)
      .execute(),
  );
