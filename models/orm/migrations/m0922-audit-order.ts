import { Migration } from '@mikro-orm/migrations';

/** Lists by time: a filter by time begins where it asks for, whatever is newer. And how often counted rows were removed. */
export class M0922AuditOrder extends Migration {
  override up(): void {
    this.addSql('create index audit_entry_tenant_time_idx on audit_entry (tenant_id, at, id)');
    // By id alone nothing is listed any more, and the primary key orders by it anyway.
    this.addSql('drop index audit_entry_tenant_idx');
    this.addSql('drop index audit_entry_at_idx');
    this.addSql('alter table audit_count_mark add column removals bigint not null default 0');
    this.addSql(`create or replace function audit_entry_uncount() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        update audit_count c set row_count = c.row_count - g.n
        from (select tenant_id, action, count(*) as n from gone where xid < (select to_xid from audit_count_mark for update) group by 1, 2) g
        where c.tenant_id is not distinct from g.tenant_id and c.action = g.action;
        update audit_count_mark set removals = removals + 1 where exists (select 1 from gone);
        return null;
      end $$`);
  }
}
