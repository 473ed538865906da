import { CURRENT_TENANT, searchFunction } from './table-policies.js';

/** A policy that asks for the tenant once for a statement: asked for each of a million points it takes longer than reading them. */
export const tenantOncePerStatement = (table: string): string =>
  `alter policy tenant on ${table} using (tenant_id = (select ${CURRENT_TENANT}))`;

/**
 * Finds runs by a param or a tag of theirs: `left` is not leakproof, so under a policy the index of values would be read without
 * the value that is looked for.
 */
export const valueSearch = (
  table: string,
): string => `create function search_${table}(wanted_key text, wanted text, most int)
    returns setof bigint language sql stable security definer set search_path = public, pg_temp as $$
    select run from ${table} where tenant_id = ${CURRENT_TENANT} and key = wanted_key
      and left(value, 100) = left(wanted, 100) and value = wanted limit most $$;
  ${searchFunction(table, `search_${table}(text, text, int)`)}`;
