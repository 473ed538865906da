import { Migration } from '@mikro-orm/migrations';

/** What is there is shorter than was allowed before. */
export class TagValuesValidated extends Migration {
  override up(): void {
    for (const table of ['experiment_tag', 'model_tag'])
      this.addSql(`alter table ${table} validate constraint ${table}_value_check`);
  }
}
