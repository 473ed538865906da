import { Migration } from '@mikro-orm/migrations';

/** The registered version that a training begins with, so that it is kept while the training needs it. */
export class TrainingBase extends Migration {
  override up(): void {
    this.addSql('alter table training_experiment add column base jsonb');
  }
}
