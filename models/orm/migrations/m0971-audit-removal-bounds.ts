import { Migration } from '@mikro-orm/migrations';
import { SEARCH } from './house.js';

/**
 * The function that removes audit entries decides by itself what may go: all of a tenant whose deletion was asked for, of
 * others what their retention says is over, and nothing of those that keep without limit.
 */
export class M0971AuditRemovalBounds extends Migration {
  override up(): void {
    this.addSql(`create or replace function remove_audit_ranges(owner uuid, sealed_before timestamptz, max_ranges int) returns table (ranges bigint, entries bigint)
      language plpgsql security definer set search_path = public, pg_temp as $$
      declare bound timestamptz := sealed_before;
      begin
        if not exists (select 1 from tenant_deletion d where d.erased_tenant = owner) then
          bound := case when retention_cutoff(owner, 'audit') is not null then least(sealed_before, retention_cutoff(owner, 'audit')) end;
        end if;
        return query with gone as (
          update audit_seal s set removed_at = clock_timestamp() where s.id in (
            select k.id from audit_seal k where k.chain = owner::text and k.removed_at is null and k.row_count > 0 and k.sealed_at < bound
            order by k.from_xid limit max_ranges for update)
          returning s.from_xid, s.to_xid),
        erased as (
          delete from audit_entry a using gone where a.tenant_id = owner and a.xid >= gone.from_xid and a.xid < gone.to_xid returning 1)
        select (select count(*) from gone), (select count(*) from erased);
      end $$`);
    this.addSql(`grant select on tenant, tenant_deletion to ${SEARCH}`);
    this.addSql(`grant execute on function retention_cutoff(uuid, text) to ${SEARCH}`);
  }
}
