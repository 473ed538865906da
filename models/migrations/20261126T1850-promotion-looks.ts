import { Migration } from '@mikro-orm/migrations';

/** When the rollback conditions of a promotion were looked at last, and since when without a gap; null: since it was applied. */
export class PromotionLooks extends Migration {
  override up(): void {
    this.addSql(
      'alter table promotion add column looked_at timestamptz, add column watched_since timestamptz',
    );
  }
}
