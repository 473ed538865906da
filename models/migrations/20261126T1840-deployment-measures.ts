import { Migration } from '@mikro-orm/migrations';

/** A try to measure conditions that came too late is no measurement; that there were too few records is said once. */
export class DeploymentMeasures extends Migration {
  override up(): void {
    this.addSql(`alter table deployment add column measure_tried_at timestamptz,
      add column is_few_told boolean not null default false`);
  }
}
