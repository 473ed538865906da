import { sql } from 'kysely';
import type { Database } from '../orm/in-tenant.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import type { HostFacts, HostIdentity, KnownHost } from './host.types.js';

/** Ages are compared between machines, so the one clock that all of them share sets and reads them. */
// In milliseconds, so that a time that was read can be compared with.
const NOW = sql<Date>`date_trunc('milliseconds', clock_timestamp())`;
const AGE_S = sql<number>`extract(epoch from clock_timestamp() - seen_at)::float8`;

/** Says that the host is alive, also one that was taken for lost. */
export const beatHost = (db: Database, host: HostIdentity, facts: HostFacts): Promise<unknown> =>
  db.inPlatform(({ kysely }) => {
    const values = {
      ...host,
      seenAt: NOW,
      goneAt: null,
      facts: sql<HostFacts>`${JSON.stringify(facts)}::jsonb`,
    };
    return kysely
      .insertInto('host')
      .values(values)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
      .execute();
  });

export const readHosts = ({ kysely }: PlatformTransaction): Promise<KnownHost[]> =>
  kysely.selectFrom('host').selectAll().select(AGE_S.as('ageS')).orderBy('name').orderBy('id').execute();

/** Every host that was ever seen. */
export const listHosts = (db: Database): Promise<KnownHost[]> => db.inPlatform(readHosts);
