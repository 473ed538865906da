import { Migration } from '@mikro-orm/migrations';
import { tenantColumns, tenantTable } from './table-policies.js';

export class ObjectsBaseline extends Migration {
  override up(): void {
    // Every object of the store that no row refers to: not yet (it is being written) or no longer (its row is
    // gone). Written before the object, deleted in the transaction that makes a row refer to it, swept once
    // due.
    this.addSql(`create table orphaned_object (${tenantColumns('orphaned_object')},
      object_key text not null unique,
      multipart_id text,
      dataset_id uuid,
      from_revision bigint,
      to_revision bigint,
      due_at timestamptz not null,
      attempts int not null default 0,
      created_at timestamptz not null default now(),
      check ((dataset_id is null) = (from_revision is null)
        and (dataset_id is null) = (to_revision is null)))`);
    this.addSql('create index orphaned_object_due_idx on orphaned_object (due_at)');
    this.addSql(`create index orphaned_object_dataset_idx on orphaned_object (tenant_id, dataset_id)
      where dataset_id is not null`);
    this.addSql(tenantTable('orphaned_object'));
    this.callsForRemoval();
  }

  /** Most are noted before they are written, for the next day: only what is due now is called for. */
  private callsForRemoval(): void {
    this.addSql(`create function call_for_due_objects() returns trigger language plpgsql as $$
      begin
        if exists (select 1 from fresh where due_at <= now()) then perform pg_notify('visionops_orphaned_objects', ''); end if;
        return null;
      end $$`);
    for (const event of ['insert', 'update'])
      this.addSql(`create trigger orphaned_object_call_${event} after ${event} on orphaned_object
        referencing new table as fresh for each statement execute function call_for_due_objects()`);
  }
}
