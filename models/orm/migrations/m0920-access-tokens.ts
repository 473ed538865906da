import { Migration } from '@mikro-orm/migrations';
import { platformTable } from './house.js';

/** Tokens of people for the tracker and the container registry; found before there is a tenant, so the platform's alone. */
export class M0920AccessTokens extends Migration {
  override up(): void {
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
}
