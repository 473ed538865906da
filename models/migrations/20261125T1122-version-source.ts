import { Migration } from '@mikro-orm/migrations';

/** Where the files of a version were taken from, as the client said it. */
export class VersionSource extends Migration {
  override up(): void {
    this.addSql('alter table model_version add column source text');
  }
}
