import { type SelectQueryBuilder, type RawBuilder, sql } from 'kysely';
import { MAX_COUNTED } from '../../core/paging/capped-page.js';
import type { Transaction } from './transaction.js';

/** Rows of a query, at most one more than a list counts: that it has more is all that is said then. */
export async function countUpTo<DB, T extends keyof DB, O>(
  tx: Transaction,
  query: SelectQueryBuilder<DB, T, O>,
): Promise<number> {
  const some = query.limit(MAX_COUNTED + 1).as('some');
  const { counted } = await tx.kysely
    .selectFrom(some as never)
    .select(({ fn }) => fn.countAll<number>().as('counted'))
    .executeTakeFirstOrThrow();
  return counted;
}

/** A time of a column in microseconds since 1970, as places of lists hold it: a `Date` has milliseconds alone. */
export const microsecondsOf = (column: string): RawBuilder<number> =>
  sql<number>`(extract(epoch from ${sql.ref(column)}) * 1000000)::bigint`;

/** The time of so many microseconds since 1970. */
export const timeOf = (microseconds: number | string): RawBuilder<Date> =>
  sql<Date>`(timestamptz 'epoch' + ${microseconds}::bigint * interval '1 microsecond')`;
