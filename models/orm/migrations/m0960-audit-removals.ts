import { Migration } from '@mikro-orm/migrations';
import { platformTable, SEARCH } from './house.js';

/** Which entries were removed, for a day: whoever keeps the trail in memory takes them off without reading it all again. */
export class M0960AuditRemovals extends Migration {
  override up(): void {
    this.addSql(`create table audit_removal (
      removal bigint primary key,
      removed_at timestamptz not null default now(),
      entry_ids bigint[] not null)`);
    this.addSql(platformTable('audit_removal'));
    this.addSql(`grant select, insert, delete on audit_removal to ${SEARCH}`);
    this.addSql(`create or replace function audit_entry_uncount() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        if not exists (select 1 from gone) then return null; end if;
        update audit_count c set row_count = c.row_count - g.n
        from (select tenant_id, action, count(*) as n from gone where xid < (select to_xid from audit_count_mark for update) group by 1, 2) g
        where c.tenant_id is not distinct from g.tenant_id and c.action = g.action;
        update audit_count_mark set removals = removals + 1;
        insert into audit_removal (removal, entry_ids) select (select removals from audit_count_mark), array_agg(id) from gone;
        delete from audit_removal where removed_at < now() - interval '1 day';
        return null;
      end $$`);
  }
}
