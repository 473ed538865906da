import { Migration } from '@mikro-orm/migrations';

/**
 * What the last report found in each image, so that lists filter by it. Classes are those of its objects; the class that
 * a folder gives stands in `label`.
 */
export class ImageMarks extends Migration {
  override up(): void {
    this.addSql(`alter table dataset_file add column classes text[] not null default '{}',
      add column findings text[] not null default '{}'`);
  }
}
