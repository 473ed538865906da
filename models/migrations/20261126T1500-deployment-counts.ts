import { Migration } from '@mikro-orm/migrations';

/** Where the devices of a deployment are, on its row: lists count nothing. And when its conditions were measured last. */
export class DeploymentCounts extends Migration {
  override up(): void {
    // counts: [{groupNo, step, failedStep, count}], null: they were not counted yet. is_late_told: people know that its
    // conditions could not be measured.
    this.addSql(`alter table deployment add column counts jsonb, add column measured_at timestamptz,
      add column is_late_told boolean not null default false`);
  }
}
