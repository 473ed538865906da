import { Migration } from '@mikro-orm/migrations';
import { APP, mixedTable, PLATFORM, platformTable, SEARCH } from './table-policies.js';

const SECURE = 'language plpgsql security definer set search_path = public, pg_temp';

export class AuditBaseline extends Migration {
  override up(): void {
    this.entries();
    this.seals();
    this.callsForSealing();
    this.removeRanges();
  }

  private entries(): void {
    this.addSql(`create table audit_entry (
      id bigint generated always as identity primary key,
      tenant_id uuid,
      at timestamptz not null default clock_timestamp(),
      xid xid8 not null default pg_current_xact_id(),
      actor_id uuid, actor_email text, actor_name text,
      action text not null,
      target_kind text not null, target_id text not null, target_label text,
      outcome text not null default 'success' check (outcome in ('success', 'denied', 'failed')),
      ip text, error_id text,
      detail jsonb not null default '{}')`);
    // Lists by time: a filter by time begins where it asks for, whatever is newer.
    this.addSql('create index audit_entry_time_idx on audit_entry (at, id)');
    this.addSql('create index audit_entry_tenant_time_idx on audit_entry (tenant_id, at, id)');
    // Finds the actions of all tenants and of one, whatever its entries are older than.
    this.addSql(
      'create index audit_entry_action_idx on audit_entry (action text_pattern_ops, tenant_id, at)',
    );
    this.addSql('create index audit_entry_xid_idx on audit_entry (xid)');
    this.addSql('create index audit_entry_chain_idx on audit_entry (tenant_id, xid, id)');
    // Parts of names are searched by the platform role alone, whose policy is a constant: the index stays
    // usable.
    this.addSql(`create index audit_entry_actor_idx on audit_entry
      using gin (actor_email gin_trgm_ops, actor_name gin_trgm_ops)`);
    this.addSql(`create index audit_entry_target_idx on audit_entry
      using gin (target_id gin_trgm_ops, target_label gin_trgm_ops)`);
    this.addSql(mixedTable('audit_entry', ['select', 'insert']));
    // Entries are final: no role that serves may change them. Erasure and retention remove whole sealed
    // ranges as owner.
    this.addSql(`revoke update, delete on audit_entry from ${PLATFORM}`);
    this.addSql(`grant usage on sequence audit_entry_id_seq to ${APP}, ${PLATFORM}`);
  }

  private seals(): void {
    // A seal covers every row of its chain whose transaction id lies in [from_xid, to_xid): all of those have
    // ended, so no row can appear in the range later and no transaction waits for a chain head. removed_at:
    // when the entries of the range were removed; their seal stays.
    this.addSql(`create table audit_seal (
      id bigint generated always as identity primary key,
      chain text not null,
      from_xid xid8 not null,
      to_xid xid8 not null,
      row_count int not null,
      rows_sha256 text not null,
      previous_seal text not null,
      seal text not null,
      sealed_at timestamptz not null default clock_timestamp(),
      removed_at timestamptz,
      unique (chain, from_xid))`);
    // Finds how far all chains are sealed, every second.
    this.addSql('create index audit_seal_to_idx on audit_seal (to_xid desc)');
    this.addSql(`create index audit_seal_kept_idx on audit_seal (chain, from_xid)
      where removed_at is null and row_count > 0`);
    this.addSql(platformTable('audit_seal'));
    this.addSql(`revoke update, delete on audit_seal from ${PLATFORM}`);
    this.addSql(`grant usage on sequence audit_seal_id_seq to ${APP}, ${PLATFORM}`);
  }

  /** Sealers are called when there is something to seal, so that nobody has to look every second. */
  private callsForSealing(): void {
    this.addSql(`create trigger audit_entry_call after insert on audit_entry
      for each statement execute function call_for_work('visionops_audit')`);
  }

  /**
   * Entries go only in whole sealed ranges, oldest first, and their seals stay. The function decides by
   * itself what may go: all of a tenant whose deletion was asked for, of others what their retention says is
   * over, and nothing of those that keep without limit.
   */
  private removeRanges(): void {
    const signature = 'remove_audit_ranges(uuid, timestamptz, int)';
    this.addSql(`create function remove_audit_ranges(owner uuid, sealed_before timestamptz, max_ranges int)
      returns table (ranges bigint, entries bigint) ${SECURE} as $$
      declare bound timestamptz := sealed_before;
      begin
        if not exists (select 1 from tenant_deletion d where d.erased_tenant = owner) then
          bound := case when retention_cutoff(owner, 'audit') is not null
            then least(sealed_before, retention_cutoff(owner, 'audit')) end;
        end if;
        return query with gone as (
          update audit_seal s set removed_at = clock_timestamp() where s.id in (
            select k.id from audit_seal k
            where k.chain = owner::text and k.removed_at is null and k.row_count > 0 and k.sealed_at < bound
            order by k.from_xid limit max_ranges for update)
          returning s.from_xid, s.to_xid),
        erased as (
          delete from audit_entry a using gone
          where a.tenant_id = owner and a.xid >= gone.from_xid and a.xid < gone.to_xid returning 1)
        select (select count(*) from gone), (select count(*) from erased);
      end $$`);
    this.addSql(`grant select, delete on audit_entry to ${SEARCH}`);
    this.addSql(`grant select, update on audit_seal to ${SEARCH}`);
    this.addSql(`grant select on tenant, tenant_deletion to ${SEARCH}`);
    this.addSql(`grant execute on function retention_cutoff(uuid, text) to ${SEARCH}`);
    this.addSql(`alter function ${signature} owner to ${SEARCH}`);
    this.addSql(`revoke all on function ${signature} from public`);
    this.addSql(`grant execute on function ${signature} to ${PLATFORM}`);
  }
}
