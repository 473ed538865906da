import { Migration } from '@mikro-orm/migrations';

/** What a validation found in a dataset's tables, beside what its creator declared. */
export class M0346TableFacts extends Migration {
  override up(): void {
    this.addSql("alter table dataset add column table_columns jsonb not null default '[]', add column table_rows bigint");
  }
}
