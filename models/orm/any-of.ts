import { type RawBuilder, sql } from 'kysely';

/** `where(column, '=', anyOf(values))`: one of them, none for an empty list (where `in ()` does not even parse). */
export const anyOf = <T>(values: readonly T[]): RawBuilder<T> => sql<T>`any(${values})`;
