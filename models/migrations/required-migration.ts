/**
 * Says that programs which do not know this migration can no longer serve the schema. A migration that takes away or
 * narrows what older programs use calls it with its own name; one that only adds does not.
 */
export const requireMigration = (name: string): string =>
  `create or replace function required_migration() returns text language sql immutable as $$ select '${name}' $$`;
