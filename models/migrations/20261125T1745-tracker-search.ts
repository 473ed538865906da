import { Migration } from '@mikro-orm/migrations';
import { CURRENT_TENANT, searchFunction } from './table-policies.js';

/** What a search or a series reads by the thousands. */
const LONG_TABLES = ['metric_point', 'metric_latest', 'param', 'tag'];

/**
 * Runs by a param or a tag of theirs: `left` is not leakproof, so under a policy the index of values would be read without
 * the value that is looked for. And policies that ask for the tenant once for a statement: asked for each of a million points it
 * takes longer than reading them.
 */
export class TrackerSearch extends Migration {
  override up(): void {
    for (const table of LONG_TABLES)
      this.addSql(`alter policy tenant on ${table} using (tenant_id = (select ${CURRENT_TENANT}))`);
    for (const table of ['param', 'tag']) {
      this.addSql(`create function search_${table}(wanted_key text, wanted text, most int) returns setof bigint
        language sql stable security definer set search_path = public, pg_temp as $$
        select run from ${table} where tenant_id = ${CURRENT_TENANT} and key = wanted_key
          and left(value, 100) = left(wanted, 100) and value = wanted limit most $$`);
      this.addSql(searchFunction(table, `search_${table}(text, text, int)`));
    }
  }
}
