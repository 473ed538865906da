import { Migration } from '@mikro-orm/migrations';

/** Before all others of its release, so that each of them is recorded with the hash of what it ran. */
export class MigrationHashes extends Migration {
  override up(): void {
    this.addSql('alter table mikro_orm_migrations add column if not exists sql_hash text');
  }
}
