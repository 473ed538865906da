import { Migration } from '@mikro-orm/migrations';
import { APP, PLATFORM, platformTable, timestamps } from './house.js';

const ROLES = "'ADMIN', 'ML_ENGINEER', 'DATA_ENGINEER', 'APPROVER', 'OPERATOR', 'VIEWER'";

export class M0010AccountsTenants extends Migration {
  override up(): void {
    this.tenants();
    this.accounts();
    this.sessions();
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
    this.addSql(`create policy tenant on tenant for select to ${APP} using (id = nullif(current_setting('app.tenant', true), '')::uuid)`);
    this.addSql(`create policy platform on tenant for all to ${PLATFORM} using (true) with check (true)`);
    this.addSql(`grant select on tenant to ${APP}`);
    this.addSql(`grant select, insert, update, delete on tenant to ${PLATFORM}`);
  }

  private accounts(): void {
    this.addSql(`create table user_account (
      id uuid primary key default gen_random_uuid(),
      email text not null,
      password_hash text not null,
      full_name text,
      phone text,
      is_active boolean not null default true,
      is_verified boolean not null default false,
      ${timestamps})`);
    this.addSql('create unique index user_account_email_key on user_account (lower(email))');
    this.addSql(platformTable('user_account'));
    this.addSql(`create table membership (
      id uuid primary key default gen_random_uuid(),
      user_id uuid not null references user_account (id) on delete cascade,
      tenant_id uuid references tenant (id) on delete cascade,
      role text not null check (role in (${ROLES})),
      ${timestamps},
      check (tenant_id is not null or role = 'ADMIN'))`);
    // One role per user and tenant; the row without a tenant makes a global administrator.
    this.addSql('create unique index membership_user_tenant_key on membership (user_id, tenant_id) nulls not distinct');
    this.addSql('create index membership_tenant_idx on membership (tenant_id)');
    this.addSql(platformTable('membership'));
  }

  private sessions(): void {
    this.addSql(`create table auth_session (
      id uuid primary key default gen_random_uuid(),
      user_id uuid not null references user_account (id) on delete cascade,
      kind text not null check (kind in ('cookie', 'jwt')),
      token_hash text unique,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      ip text,
      user_agent text)`);
    this.addSql('create index auth_session_user_idx on auth_session (user_id)');
    this.addSql(platformTable('auth_session'));
  }
}
