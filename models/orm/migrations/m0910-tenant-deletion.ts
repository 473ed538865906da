import { Migration } from '@mikro-orm/migrations';
import { PLATFORM, platformTable, SEARCH, timestamps } from './house.js';

export class M0910TenantDeletion extends Migration {
  override up(): void {
    this.deletions();
    this.steps();
    this.blobs();
    this.audit();
  }

  private deletions(): void {
    // Outlives its tenant: it says that the tenant was erased and keeps the code from being given again. It belongs to
    // the platform, which is why the column is not named tenant_id.
    this.addSql(`create table tenant_deletion (
      id uuid primary key default gen_random_uuid(),
      erased_tenant uuid not null unique,
      tenant_code text not null unique,
      status text not null default 'pending' check (status in ('pending', 'running', 'done', 'failed')),
      status_message text not null default '',
      attempt int not null default 1 check (attempt > 0),
      asked_by uuid,
      asked_by_email text,
      certificate jsonb,
      started_at timestamptz,
      finished_at timestamptz,
      ${timestamps},
      check ((status = 'done') = (certificate is not null)))`);
    this.addSql('create index tenant_deletion_created_idx on tenant_deletion (created_at desc, id)');
    this.addSql(platformTable('tenant_deletion'));
  }

  private steps(): void {
    // counts: what the step removed. checkpoint: where it goes on after a crash; null when it begins anew.
    this.addSql(`create table tenant_deletion_step (
      deletion_id uuid not null references tenant_deletion (id) on delete cascade,
      position int not null,
      key text not null,
      status text not null default 'pending' check (status in ('pending', 'running', 'done', 'failed')),
      message text not null default '',
      counts jsonb not null default '{}',
      checkpoint jsonb,
      runs int not null default 0,
      started_at timestamptz,
      finished_at timestamptz,
      primary key (deletion_id, key))`);
    this.addSql(platformTable('tenant_deletion_step'));
    this.addSql(`create table tenant_deletion_log (
      id bigint generated always as identity primary key,
      deletion_id uuid not null references tenant_deletion (id) on delete cascade,
      at timestamptz not null default clock_timestamp(),
      step text,
      message text not null)`);
    this.addSql('create index tenant_deletion_log_idx on tenant_deletion_log (deletion_id, id)');
    this.addSql(platformTable('tenant_deletion_log'));
    this.addSql(`grant usage on sequence tenant_deletion_log_id_seq to ${PLATFORM}`);
  }

  private blobs(): void {
    // Set on the notes of an erasure, which may take them up again after a crash without waiting for the lease.
    this.addSql('alter table image_blob_removal add column deletion_id uuid');
    this.addSql('create index image_blob_removal_deletion_idx on image_blob_removal (deletion_id) where deletion_id is not null');
  }

  /** Entries go only in whole sealed ranges, oldest first, and their seals stay. */
  private audit(): void {
    this.addSql('create index audit_entry_chain_idx on audit_entry (tenant_id, xid, id)');
    this.addSql('alter table audit_seal add column removed_at timestamptz');
    this.addSql('create index audit_seal_kept_idx on audit_seal (chain, from_xid) where removed_at is null and row_count > 0');
    this.addSql(`create function remove_audit_ranges(owner uuid, sealed_before timestamptz, max_ranges int) returns table (ranges bigint, entries bigint)
      language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        return query with gone as (
          update audit_seal s set removed_at = clock_timestamp() where s.id in (
            select k.id from audit_seal k where k.chain = owner::text and k.removed_at is null and k.row_count > 0 and k.sealed_at < sealed_before
            order by k.from_xid limit max_ranges for update)
          returning s.from_xid, s.to_xid),
        erased as (
          delete from audit_entry a using gone where a.tenant_id = owner and a.xid >= gone.from_xid and a.xid < gone.to_xid returning 1)
        select (select count(*) from gone), (select count(*) from erased);
      end $$`);
    this.addSql(`grant select, delete on audit_entry to ${SEARCH}`);
    this.addSql(`grant select, update on audit_seal to ${SEARCH}`);
    this.addSql(`alter function remove_audit_ranges(uuid, timestamptz, int) owner to ${SEARCH}`);
    this.addSql('revoke all on function remove_audit_ranges(uuid, timestamptz, int) from public');
    this.addSql(`grant execute on function remove_audit_ranges(uuid, timestamptz, int) to ${PLATFORM}`);
  }
}
