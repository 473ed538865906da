import { type RawBuilder, sql } from 'kysely';

/** A time of a column in microseconds since 1970, as places of lists hold it: a `Date` has milliseconds alone. */
export const microsecondsOf = (column: string): RawBuilder<number> =>
  sql<number>`(extract(epoch from ${sql.ref(column)}) * 1000000)::bigint`;

/** The time of so many microseconds since 1970. */
export const timeOf = (microseconds: number | string): RawBuilder<Date> =>
  sql<Date>`(timestamptz 'epoch' + ${microseconds}::bigint * interval '1 microsecond')`;
