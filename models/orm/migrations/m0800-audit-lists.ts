import { Migration } from '@mikro-orm/migrations';
import { platformTable, SEARCH } from './house.js';

export class M0800AuditLists extends Migration {
  override up(): void {
    this.indexes();
    this.counts();
  }

  private indexes(): void {
    this.addSql('create index audit_entry_time_idx on audit_entry (at, id)');
    // Parts of names are searched by the platform role alone, whose policy is a constant: the index stays usable.
    this.addSql('create index audit_entry_actor_idx on audit_entry using gin (actor_email gin_trgm_ops, actor_name gin_trgm_ops)');
    this.addSql('create index audit_entry_target_idx on audit_entry using gin (target_id gin_trgm_ops, target_label gin_trgm_ops)');
  }

  /**
   * Exact totals without counting a million rows: every row whose transaction had ended when the mark was set is counted
   * here, the few later ones are counted on reading. No writer waits for a counter.
   */
  private counts(): void {
    this.addSql(`create table audit_count (
      tenant_id uuid,
      action text not null,
      row_count bigint not null,
      unique nulls not distinct (tenant_id, action))`);
    this.addSql(platformTable('audit_count'));
    this.addSql(`create table audit_count_mark (
      one boolean primary key default true check (one),
      to_xid xid8 not null)`);
    this.addSql(platformTable('audit_count_mark'));
    this.addSql(`insert into audit_count_mark (to_xid) values ('0')`);
    // Retention and erasure remove rows as owner; what was counted is taken off again.
    this.addSql(`create function audit_entry_uncount() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        update audit_count c set row_count = c.row_count - g.n
        from (select tenant_id, action, count(*) as n from gone where xid < (select to_xid from audit_count_mark for update) group by 1, 2) g
        where c.tenant_id is not distinct from g.tenant_id and c.action = g.action;
        return null;
      end $$`);
    this.addSql(`create trigger audit_entry_uncount after delete on audit_entry referencing old table as gone for each statement execute function audit_entry_uncount()`);
    this.addSql(`alter function audit_entry_uncount() owner to ${SEARCH}`);
    this.addSql('revoke execute on function audit_entry_uncount() from public');
    // The owner of the tables sees no row of theirs under forced row-level security; this role does.
    this.addSql(`grant select, update on audit_count, audit_count_mark to ${SEARCH}`);
  }
}
