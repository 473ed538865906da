import { sql } from 'kysely';
import type { Database } from '../orm/in-tenant.js';
import type { ApiFacts, ProcessIdentity, WorkerFacts } from './process-heartbeat.types.js';
import { type HeldPlace, mayHold, type WorkloadPlace } from './workload-host.rules.js';

export interface Heartbeat {
  readonly place: string;
  readonly startedAt: Date;
  /** Seconds since it was last seen, by the database's clock. */
  readonly ageS: number;
  readonly facts: WorkerFacts;
}

/** Ages are compared between machines, so the one clock that all of them share sets and reads them. */
const NOW = sql<Date>`clock_timestamp()`;
const AGE_S = sql<number>`extract(epoch from clock_timestamp() - seen_at)::float8`;

/** Says that the process is alive; processes not seen for a day are forgotten. */
export const beat = (db: Database, who: ProcessIdentity, facts: WorkerFacts | ApiFacts): Promise<void> =>
  db.inPlatform(async ({ kysely }) => {
    await kysely
      .insertInto('process_heartbeat')
      .values({ ...who, seenAt: NOW, facts: sql<WorkerFacts>`${JSON.stringify(facts)}::jsonb` })
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
      .select(({ ref }) => ref('facts').$castTo<WorkerFacts>().as('facts'))
      .where('process', '=', 'worker')
      .orderBy('seenAt', 'desc')
      .limit(100)
      .execute(),
  );

/**
 * Takes or keeps the installation's one place of workloads.
 * @returns the holder that stands against it, null when it is ours
 */
export const holdWorkloads = (db: Database, mine: WorkloadPlace): Promise<HeldPlace | null> =>
  db.inPlatform(async ({ kysely }) => {
    const { host, storeId, dataDir } = mine;
    const values = { host, storeId, dataDir, seenAt: NOW };
    const added = await kysely
      .insertInto('workload_host')
      .values(values)
      .onConflict((conflict) => conflict.column('onlyOne').doNothing())
      .returning('onlyOne')
      .executeTakeFirst();
    if (added) return null;
    const held = await kysely
      .selectFrom('workload_host')
      .select(['host', 'storeId', 'dataDir', AGE_S.as('ageS')])
      .forUpdate()
      .executeTakeFirst();
    if (held && !mayHold(mine, held)) return held;
    await kysely.updateTable('workload_host').set(values).execute();
    return null;
  });
