import { Migration } from '@mikro-orm/migrations';

export class M0995TurnedImages extends Migration {
  override up(): void {
    // Width and height are those of the pixels as stored; upright they change places where this is true.
    this.addSql('alter table dataset_file add column is_turned boolean not null default false');
  }
}
