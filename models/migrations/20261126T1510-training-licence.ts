import { Migration } from '@mikro-orm/migrations';

/** The licence that the framework of a training puts its models under; older trainings have it as a tag of their runs alone. */
export class TrainingLicence extends Migration {
  override up(): void {
    this.addSql('alter table training_experiment add column licence text');
  }
}
