import { Migration } from '@mikro-orm/migrations';
import { APP, platformTable } from './house.js';

export class M0620ImageBlobRemoval extends Migration {
  override up(): void {
    // Bytes of blobs are shared by content and belong to no tenant: whoever is about to store some must see that the same
    // bytes are on their way out, whosever they were. Null: not begun yet.
    this.addSql('create table image_blob_removal (digest text primary key, leased_until timestamptz)');
    this.addSql(platformTable('image_blob_removal'));
    this.addSql(`create policy everyone on image_blob_removal for all to ${APP} using (true)`);
    this.addSql(`grant select, delete on image_blob_removal to ${APP}`);
  }
}
