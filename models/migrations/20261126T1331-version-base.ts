import { Migration } from '@mikro-orm/migrations';

/** The registered version that a version was trained on from; it outlives the training. */
export class VersionBase extends Migration {
  override up(): void {
    this.addSql('alter table model_version add column base jsonb');
  }
}
