import { Migration } from '@mikro-orm/migrations';

/** The licence that a framework puts its models under. */
export class ModelLicence extends Migration {
  override up(): void {
    this.addSql(
      'alter table model_version add column licence text check (char_length(licence) between 1 and 5000)',
    );
  }
}
