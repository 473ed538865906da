import { Migration } from '@mikro-orm/migrations';

/** The workflow that waits for the build of an image, and the signal that it gets when the build ends. */
export class ImageWakes extends Migration {
  override up(): void {
    this.addSql('alter table image add column workflow_id text, add column workflow_signal text');
  }
}
