import { Migration } from '@mikro-orm/migrations';
import { BASELINE } from './baseline.js';
import { requireMigration } from './required-migration.js';
import { PLATFORM } from './table-policies.js';

/** Lets a process see whether the schema is one that it can serve (models/system/schema-watch.platform.ts). */
export class SchemaState extends Migration {
  override up(): void {
    this.addSql(requireMigration(BASELINE));
    this.addSql(`grant select on mikro_orm_migrations to ${PLATFORM}`);
  }
}
