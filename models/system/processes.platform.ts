import { sql } from 'kysely';
import type { Database } from '../orm/in-tenant.js';
import { NO_FACTS, type ProcessIdentity, type WorkerFacts } from './process-heartbeat.types.js';

export interface Heartbeat {
  readonly place: string;
  readonly startedAt: Date;
  /** Seconds since it was last seen, by the database's clock. */
  readonly ageS: number;
}

/** Ages are compared between machines, so the one clock that all of them share sets and reads them. */
const NOW = sql<Date>`clock_timestamp()`;
const AGE_S = sql<number>`extract(epoch from clock_timestamp() - seen_at)::float8`;

/** Says that the process is alive; processes not seen for a day are forgotten. */
export const beat = (db: Database, who: ProcessIdentity): Promise<void> =>
  db.inPlatform(async ({ kysely }) => {
    await kysely
      .insertInto('process_heartbeat')
      .values({ ...who, seenAt: NOW, facts: sql<WorkerFacts>`${JSON.stringify(NO_FACTS)}::jsonb` })
      .onConflict((conflict) =>
        conflict.columns(['process', 'place']).doUpdateSet(({ ref }) => ({
          startedAt: ref('excluded.startedAt'),
          seenAt: ref('excluded.seenAt'),
          facts: ref('excluded.facts'),
        })),
      )
      .execute();
    const aDayAgo = sql<Date>`clock_timestamp() - interval '1 day'`;
    await kysely.deleteFrom('process_heartbeat').where('seenAt', '<', aDayAgo).execute();
  });

/** The process stopped in order. */
export const forgetHeartbeat = (db: Database, { process, place }: ProcessIdentity): Promise<unknown> =>
  db.inPlatform(({ kysely }) =>
    kysely
      .deleteFrom('process_heartbeat')
      .where('process', '=', process)
      .where('place', '=', place)
      .execute(),
  );

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
