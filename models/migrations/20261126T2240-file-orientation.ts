import { Migration } from '@mikro-orm/migrations';

/** Which way an image is turned upright: places that an annotation states in stored pixels are turned with it. */
export class FileOrientation extends Migration {
  override up(): void {
    this.addSql('alter table dataset_file add column orientation smallint');
  }
}
