import { Migration } from '@mikro-orm/migrations';

/** When an erased tenant was last looked for again; null: not since its deletion was over. */
export class M0973LateLooks extends Migration {
  override up(): void {
    this.addSql('alter table tenant_deletion add column looked_at timestamptz');
  }
}
