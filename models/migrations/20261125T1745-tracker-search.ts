import { Migration } from '@mikro-orm/migrations';
import { CURRENT_TENANT, searchFunction } from './table-policies.js';

/**
 * Runs by a param or a tag of theirs: `left` is not leakproof, so under a policy the index of values would be read without
 * the value that is looked for.
 */
export class TrackerSearch extends Migration {
  override up(): void {
    for (const table of ['param', 'tag']) {
      this.addSql(`create function search_${table}(wanted_key text, wanted text, most int) returns setof bigint
        language sql stable security definer set search_path = public, pg_temp as $$
        select run from ${table} where tenant_id = ${CURRENT_TENANT} and key = wanted_key
          and left(value, 100) = left(wanted, 100) and value = wanted limit most $$`);
      this.addSql(searchFunction(table, `search_${table}(text, text, int)`));
    }
  }
}
