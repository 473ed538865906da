import { Migration } from '@mikro-orm/migrations';
import { APP, mixedTable, PLATFORM, platformTable } from './house.js';

export class M0020AuditDispatch extends Migration {
  override up(): void {
    this.audit();
    this.seals();
    this.dispatch();
  }

  private audit(): void {
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
    this.addSql('create index audit_entry_at_idx on audit_entry (id desc)');
    this.addSql('create index audit_entry_tenant_idx on audit_entry (tenant_id, id desc)');
    this.addSql('create index audit_entry_action_idx on audit_entry (action text_pattern_ops, id desc)');
    this.addSql('create index audit_entry_xid_idx on audit_entry (xid)');
    this.addSql(mixedTable('audit_entry', ['select', 'insert']));
    // Entries are final: no role that serves may change them. Erasure and retention remove whole sealed ranges as owner.
    this.addSql(`revoke update, delete on audit_entry from ${PLATFORM}`);
  }

  private seals(): void {
    // A seal covers every row of its chain whose transaction id lies in [from_xid, to_xid): all of those have ended,
    // so no row can appear in the range later and no transaction waits for a chain head.
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
      unique (chain, from_xid))`);
    this.addSql(platformTable('audit_seal'));
    this.addSql(`revoke update, delete on audit_seal from ${PLATFORM}`);
  }

  private dispatch(): void {
    this.addSql(`create table dispatch (
      id bigint generated always as identity primary key,
      tenant_id uuid,
      kind text not null check (kind in ('start', 'signal', 'cancel', 'mail')),
      workflow_id text,
      payload jsonb not null,
      created_at timestamptz not null default now(),
      attempts int not null default 0,
      next_attempt_at timestamptz not null default now(),
      last_error text)`);
    // Rows are deleted once carried out, so the index stays as small as the backlog.
    this.addSql('create index dispatch_due_idx on dispatch (next_attempt_at, id)');
    this.addSql(mixedTable('dispatch', ['insert']));
    this.addSql(`grant usage on all sequences in schema public to ${APP}, ${PLATFORM}`);
    this.addSql(`create function notify_dispatch() returns trigger language plpgsql as $$
      begin perform pg_notify('visionops_dispatch', ''); return null; end $$`);
    this.addSql('create trigger dispatch_notify after insert on dispatch for each statement execute function notify_dispatch()');
  }
}
