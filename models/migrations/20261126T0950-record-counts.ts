import { Migration } from '@mikro-orm/migrations';
import { CURRENT_TENANT, SEARCH, searchFunction } from './table-policies.js';

/**
 * Counts records of a device from the primary key alone. Under a policy each of them is read from the table, since the key
 * holds no tenant: for 10,000 records that is as many pages. A device's number belongs to one tenant for ever, so the
 * device's own row is asked instead.
 */
export class RecordCounts extends Migration {
  override up(): void {
    for (const table of ['telemetry', 'inference', 'edge_heartbeat']) {
      this.addSql(`create function count_${table}(wanted bigint, since timestamptz, most int) returns int
        language sql stable security definer set search_path = public, pg_temp as $$
        select count(*)::int from (
          select from ${table} where device = wanted and received_at >= since and exists (
            select from edge_device where tenant_id = ${CURRENT_TENANT} and number = wanted)
          limit most) c $$`);
      this.addSql(searchFunction(table, `count_${table}(bigint, timestamptz, int)`));
    }
    this.addSql(`grant select (tenant_id, number) on edge_device to ${SEARCH}`);
  }
}
