import { Migration } from '@mikro-orm/migrations';

/** Classes of the data that a version was trained with; they outlive training and data. */
export class VersionClasses extends Migration {
  override up(): void {
    this.addSql('alter table model_version add column training_classes jsonb');
  }
}
