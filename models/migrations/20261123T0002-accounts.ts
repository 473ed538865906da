import { Migration } from '@mikro-orm/migrations';
import { platformTable, timestamps } from './table-policies.js';

const ROLES = "'ADMIN', 'ML_ENGINEER', 'DATA_ENGINEER', 'APPROVER', 'OPERATOR', 'VIEWER'";

export class AccountsBaseline extends Migration {
  override up(): void {
    this.accounts();
    this.sessions();
    this.accessTokens();
    this.signInLimits();
  }

  private accounts(): void {
    // Mailed tokens are bound to both numbers of changes, so that none of them works after what it was sent
    // for has changed, or changed back.
    this.addSql(`create table user_account (
      id uuid primary key default gen_random_uuid(),
      email text not null,
      password_hash text not null,
      full_name text,
      phone text,
      is_active boolean not null default true,
      is_verified boolean not null default false,
      email_changes int not null default 0,
      verification_changes int not null default 0,
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
    this.addSql(`create unique index membership_user_tenant_key on membership (user_id, tenant_id)
      nulls not distinct`);
    this.addSql('create index membership_tenant_idx on membership (tenant_id)');
    this.addSql(platformTable('membership'));
  }

  private sessions(): void {
    // last_used_at is exact to a few minutes: the session used longest ago makes room for another.
    this.addSql(`create table auth_session (
      id uuid primary key default gen_random_uuid(),
      user_id uuid not null references user_account (id) on delete cascade,
      kind text not null check (kind in ('cookie', 'jwt')),
      token_hash text unique,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      last_used_at timestamptz not null default now(),
      ip text,
      user_agent text)`);
    this.addSql('create index auth_session_user_idx on auth_session (user_id)');
    this.addSql(platformTable('auth_session'));
  }

  /**
   * Tokens of people for the tracker and the container registry; found before there is a tenant, so the
   * platform's alone.
   */
  private accessTokens(): void {
    this.addSql(`create table access_token (
      id uuid primary key default gen_random_uuid(),
      tenant_id uuid not null references tenant (id) on delete cascade,
      user_id uuid not null references user_account (id) on delete cascade,
      kind text not null check (kind in ('tracker', 'registry')),
      name text not null,
      token_hash text not null unique,
      read_only boolean not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      last_used_at timestamptz,
      expiry_told_at timestamptz,
      constraint access_token_tenant_id_key unique (tenant_id, id))`);
    this.addSql('create index access_token_user_idx on access_token (user_id)');
    this.addSql('create index access_token_expiry_idx on access_token (expires_at)');
    this.addSql(platformTable('access_token'));
  }

  private signInLimits(): void {
    // How often something was tried of late: sign-ins and mails to strangers. One row for each key, for all
    // API processes.
    this.addSql(`create table attempt_limit (
      key text primary key,
      used int not null,
      resets_at timestamptz not null)`);
    this.addSql('create index attempt_limit_resets_idx on attempt_limit (resets_at)');
    this.addSql(platformTable('attempt_limit'));
    // Addresses from which an account was signed in to, which strangers' guesses do not shut out. Only a hash
    // of the address.
    this.addSql(`create table sign_in_place (
      user_id uuid not null references user_account (id) on delete cascade,
      address_hash text not null,
      seen_at timestamptz not null default now(),
      primary key (user_id, address_hash))`);
    this.addSql('create index sign_in_place_seen_idx on sign_in_place (seen_at)');
    this.addSql(platformTable('sign_in_place'));
  }
}
