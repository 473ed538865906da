import { Migration } from '@mikro-orm/migrations';
import { callsOnStates, tenantColumns, tenantTable, timestamps } from './table-policies.js';

/** Promotions to Production, comments on versions, and the promotion that a stage change came from. */
export class Promotions extends Migration {
  override up(): void {
    this.promotions();
    this.comments();
    this.addSql('alter table model_stage_change add column promotion_id uuid');
  }

  private promotions(): void {
    // While its workflow runs it is the only writer of the row, save three things: the decision, the end of the watch, and
    // the attempt that a restore begins. Outlives its version; gone with the model.
    this.addSql(`create table promotion (${tenantColumns('promotion')},
      model_id uuid not null,
      version int not null check (version > 0),
      reason text not null,
      scope text,
      rollback_conditions jsonb not null default '[]',
      status text not null default 'PENDING_CHECKS' check (status in ('PENDING_CHECKS', 'WAITING_APPROVAL',
        'APPROVED', 'REJECTED', 'EXPIRED', 'APPLIED', 'FAILED', 'ROLLED_BACK')),
      status_message text not null default '',
      checks jsonb not null default '[]',
      requires_approval boolean not null default false,
      expires_at timestamptz,
      decision text check (decision in ('approve', 'reject')),
      decided_by uuid,
      decided_by_name text,
      decision_comment text,
      decided_at timestamptz,
      from_stage text check (from_stage in ('None', 'Staging', 'Production', 'Archived')),
      previous_version int,
      is_watched boolean not null default false,
      attempt int not null default 1,
      requested_by_name text,
      created_by uuid,
      applied_at timestamptz,
      finished_at timestamptz,
      ${timestamps},
      check ((decision is null) = (decided_at is null)),
      foreign key (tenant_id, model_id) references model (tenant_id, id) on delete cascade)`);
    this.addSql(`create unique index promotion_active_key on promotion (tenant_id, model_id, version)
      where status in ('PENDING_CHECKS', 'WAITING_APPROVAL', 'APPROVED')`);
    this.addSql('create index promotion_created_idx on promotion (tenant_id, created_at desc, id)');
    this.addSql('create index promotion_model_idx on promotion (tenant_id, model_id, created_at desc)');
    this.addSql(tenantTable('promotion'));
    this.addSql(callsOnStates('promotion', 'status'));
  }

  private comments(): void {
    this.addSql(`create table model_comment (${tenantColumns('model_comment')},
      version_id uuid not null,
      body text not null check (char_length(body) between 1 and 10000),
      author_name text,
      created_by uuid,
      ${timestamps},
      foreign key (tenant_id, version_id) references model_version (tenant_id, id) on delete cascade)`);
    this.addSql(`create index model_comment_version_idx
      on model_comment (tenant_id, version_id, created_at desc, id)`);
    this.addSql(tenantTable('model_comment', ['select', 'insert', 'delete']));
  }
}
