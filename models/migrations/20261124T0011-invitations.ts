import { Migration } from '@mikro-orm/migrations';
import { AUTH, platformTable } from './table-policies.js';

export class Invitations extends Migration {
  override up(): void {
    // Who may register where registration takes an invitation, and the role that awaits them. Found before
    // there is an account, so the platform's alone.
    this.addSql(`create table invitation (
      id uuid primary key default gen_random_uuid(),
      tenant_id uuid not null references tenant (id) on delete cascade,
      email text not null,
      role text not null check (role in ('ADMIN', 'ML_ENGINEER', 'DATA_ENGINEER', 'APPROVER', 'OPERATOR', 'VIEWER')),
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      constraint invitation_tenant_id_key unique (tenant_id, id))`);
    // One for each address and tenant: inviting again replaces it.
    this.addSql('create unique index invitation_email_key on invitation (lower(email), tenant_id)');
    this.addSql('create index invitation_expiry_idx on invitation (expires_at)');
    this.addSql(platformTable('invitation'));
    // Whether there is one, not what it promises.
    this.addSql(`create policy auth on invitation for select to ${AUTH} using (true)`);
    this.addSql(`grant select (email, expires_at) on invitation to ${AUTH}`);
  }
}
