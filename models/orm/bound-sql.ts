import { type RawBuilder, sql } from 'kysely';

/** SQL text with positional parameters ($1, $2, ...) as part of a typed read. */
export function boundSql<T>(text: string, params: readonly unknown[]): RawBuilder<T> {
  const parts = text.split(/\$(\d+)/);
  return sql.join(
    parts.map((part, at) => (at % 2 === 0 ? sql.raw(part) : sql.val(params[Number(part) - 1]))),
    sql.raw(''),
  ) as RawBuilder<T>;
}
