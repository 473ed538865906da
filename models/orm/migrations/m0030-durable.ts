import { Migration } from '@mikro-orm/migrations';
import { mixedTable } from './house.js';

export class M0030Durable extends Migration {
  override up(): void {
    // Finds the older entries of one workflow; mails have none.
    this.addSql('create index dispatch_workflow_idx on dispatch (workflow_id, id) where workflow_id is not null');
    // Finds how far all chains are sealed, every second.
    this.addSql('create index audit_seal_to_idx on audit_seal (to_xid desc)');
    // One row for each activity whose effect is in the database: written in the effect's own transaction, so a repeated
    // activity finds the row and answers the stored result instead of acting twice.
    this.addSql(`create table activity_effect (
      workflow_id text not null,
      activity_id text not null,
      tenant_id uuid,
      result jsonb,
      at timestamptz not null default clock_timestamp(),
      primary key (workflow_id, activity_id))`);
    this.addSql('create index activity_effect_at_idx on activity_effect (at)');
    this.addSql(mixedTable('activity_effect', ['select', 'insert', 'update']));
  }
}
