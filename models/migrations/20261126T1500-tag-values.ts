import { Migration } from '@mikro-orm/migrations';

/** Values of tags as long as MLflow takes them. */
export class TagValues extends Migration {
  override up(): void {
    for (const [table, most] of [
      ['experiment_tag', 20_000],
      ['model_tag', 100_000],
    ] as const) {
      const name = `${table}_value_check`;
      this.addSql(`alter table ${table} drop constraint ${name},
        add constraint ${name} check (char_length(value) <= ${most}) not valid`);
    }
  }
}
