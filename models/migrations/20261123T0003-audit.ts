import { Migration } from '@mikro-orm/migrations';
import { APP, mixedTable, PLATFORM, platformTable, SEARCH } from './table-policies.js';

const SECURE = 'language plpgsql security definer set search_path = public, pg_temp';

/** A function of the platform role that reaches what no serving role may. */
const ownedBySearch = (signature: string): string =>
  [
    `alter function ${signature} owner to ${SEARCH}`,
    `revoke all on function ${signature} from public`,
    `grant execute on function ${signature} to ${PLATFORM}`,
  ].join(';\n');

export class AuditBaseline extends Migration {
  override up(): void {
    this.entries();
    this.seals();
    this.callsForSealing();
    this.removeRanges();
    this.epoch();
  }

  private entries(): void {
    this.addSql('create sequence audit_entry_id_seq');
    this.addSql(`grant usage on sequence audit_entry_id_seq to ${APP}, ${PLATFORM}`);
    // The transaction has its own id before it takes one for its entry: sealers tell by that when all
    // transactions that took an id up to a given one have ended.
    this.addSql(`create function next_audit_entry_id() returns bigint language sql
      return case when pg_current_xact_id() is not null then nextval('audit_entry_id_seq') end`);
    this.addSql(`create table audit_entry (
      id bigint not null default next_audit_entry_id(),
      tenant_id uuid,
      at timestamptz not null default clock_timestamp(),
      actor_id uuid, actor_email text, actor_name text,
      action text not null,
      target_kind text not null, target_id text not null, target_label text,
      outcome text not null default 'success' check (outcome in ('success', 'denied', 'failed')),
      ip text, error_id text,
      detail jsonb not null default '{}',
      primary key (id, at)) partition by range (at)`);
    // Lists by time: a filter by time begins where it asks for, whatever is newer.
    this.addSql('create index audit_entry_time_idx on audit_entry (at, id)');
    this.addSql('create index audit_entry_tenant_time_idx on audit_entry (tenant_id, at, id)');
    // Finds the actions of all tenants and of one, whatever its entries are older than.
    this.addSql(
      'create index audit_entry_action_idx on audit_entry (action text_pattern_ops, tenant_id, at)',
    );
    this.addSql('create index audit_entry_chain_idx on audit_entry (tenant_id, id, at)');
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
  }

  private seals(): void {
    // A seal covers every row of its chain with an id after from_id and up to to_id: all transactions that
    // took one of those have ended, so no row can appear in the range later and no transaction waits for a
    // chain head. removed_at: when the entries of the range were removed; their seal stays.
    this.addSql(`create table audit_seal (
      id bigint generated always as identity primary key,
      chain text not null,
      epoch int not null,
      from_id bigint not null,
      to_id bigint not null,
      row_count int not null,
      rows_sha256 text not null,
      previous_seal text not null,
      seal text not null,
      sealed_at timestamptz not null default clock_timestamp(),
      removed_at timestamptz,
      check (from_id < to_id),
      unique (chain, epoch, from_id))`);
    // Finds how far all chains are sealed, whenever there is something to seal.
    this.addSql('create index audit_seal_to_idx on audit_seal (to_id desc)');
    this.addSql(`create index audit_seal_kept_idx on audit_seal (chain, from_id)
      where removed_at is null and row_count > 0`);
    this.addSql(platformTable('audit_seal'));
    this.addSql(`revoke update, delete on audit_seal from ${PLATFORM}`);
    this.addSql(`grant usage on sequence audit_seal_id_seq to ${APP}, ${PLATFORM}`);
  }

  /**
   * The epoch counts how often the database was restored: what was written after the backup is gone, and its
   * ids are taken again, by other entries.
   */
  private epoch(): void {
    this.addSql(`create table audit_epoch (
      only_one boolean primary key default true check (only_one),
      epoch int not null default 1,
      raised_at timestamptz not null default clock_timestamp())`);
    this.addSql('insert into audit_epoch default values');
    this.addSql(platformTable('audit_epoch'));
    this.addSql(`revoke insert, update, delete on audit_epoch from ${PLATFORM}`);
    // A restored sequence may stand behind the rows.
    this.addSql(`create function raise_audit_epoch() returns int ${SECURE} as $$
      declare
        highest bigint := greatest((select max(id) from audit_entry), (select max(to_id) from audit_seal));
        raised int;
      begin
        if highest > coalesce(pg_sequence_last_value('audit_entry_id_seq'), 0) then
          perform setval('audit_entry_id_seq', highest);
        end if;
        update audit_epoch set epoch = epoch + 1, raised_at = clock_timestamp() returning epoch into raised;
        return raised;
      end $$`);
    this.addSql(`grant select, update on audit_epoch to ${SEARCH}`);
    this.addSql(`grant select, update on sequence audit_entry_id_seq to ${SEARCH}`);
    this.addSql(ownedBySearch('raise_audit_epoch()'));
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
            order by k.from_id limit max_ranges for update)
          returning s.from_id, s.to_id),
        erased as (
          delete from audit_entry a using gone
          where a.tenant_id = owner and a.id > gone.from_id and a.id <= gone.to_id returning 1)
        select (select count(*) from gone), (select count(*) from erased);
      end $$`);
    this.addSql(`grant select, delete on audit_entry to ${SEARCH}`);
    this.addSql(`grant select, update on audit_seal to ${SEARCH}`);
    this.addSql(`grant select on tenant, tenant_deletion to ${SEARCH}`);
    this.addSql(`grant execute on function retention_cutoff(uuid, text) to ${SEARCH}`);
    this.addSql(ownedBySearch('remove_audit_ranges(uuid, timestamptz, int)'));
  }
}
