import { Migration } from '@mikro-orm/migrations';
import { APP, CURRENT_TENANT, PLATFORM, platformTable, timestamps } from './table-policies.js';

export class TenantsBaseline extends Migration {
  override up(): void {
    this.tenants();
    this.retention();
    this.deletions();
    this.deletionSteps();
  }

  private tenants(): void {
    this.addSql(`create table tenant (
      id uuid primary key default gen_random_uuid(),
      code text not null unique check (code ~ '^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$'),
      name text not null,
      kpi_targets jsonb not null default '{}',
      retention jsonb not null default '{}',
      features jsonb not null default '{}',
      shared_defaults jsonb not null default '[]',
      is_active boolean not null default true,
      ${timestamps})`);
    this.addSql('alter table tenant enable row level security');
    this.addSql('alter table tenant force row level security');
    this.addSql(`create policy tenant on tenant for select to ${APP} using (id = ${CURRENT_TENANT})`);
    this.addSql(`create policy platform on tenant for all to ${PLATFORM} using (true) with check (true)`);
    this.addSql(`grant select on tenant to ${APP}`);
    this.addSql(`grant select, insert, update, delete on tenant to ${PLATFORM}`);
  }

  private retention(): void {
    // What is older is hidden from every read from the moment the setting says so; null: no limit. Runs with
    // the rights of its caller, who sees the tenant's own row.
    this.addSql(`create function retention_cutoff(owner uuid, kind text) returns timestamptz
      language sql stable as $$
      select now() - make_interval(days => (retention->>kind)::int) from tenant
      where id = owner and jsonb_typeof(retention->kind) = 'number' $$`);
    this.addSql('revoke all on function retention_cutoff(uuid, text) from public');
    this.addSql(`grant execute on function retention_cutoff(uuid, text) to ${APP}, ${PLATFORM}`);
  }

  private deletions(): void {
    // Outlives its tenant: it says that the tenant was erased and keeps the code from being given again. It
    // belongs to the platform, which is why the column is not named tenant_id. looked_at: when the erased
    // tenant was last looked for again; null: not since its deletion was over.
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
      looked_at timestamptz,
      ${timestamps},
      check ((status = 'done') = (certificate is not null)))`);
    this.addSql('create index tenant_deletion_created_idx on tenant_deletion (created_at desc, id)');
    this.addSql(platformTable('tenant_deletion'));
  }

  private deletionSteps(): void {
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
}
