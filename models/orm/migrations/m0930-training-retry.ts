import { Migration } from '@mikro-orm/migrations';

/** Another attempt of a training may go on from the checkpoint that the run of an earlier one has stored. */
export class M0930TrainingRetry extends Migration {
  override up(): void {
    this.addSql('alter table training_experiment add column resume_run_id text');
  }
}
