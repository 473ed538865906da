import { Migration } from '@mikro-orm/migrations';

/** Bytes of acknowledged parts that were sent again: a store may keep each of them until the multipart upload ends. */
export class M0978ReplacedChunks extends Migration {
  override up(): void {
    this.addSql('alter table dataset_upload add column replaced_bytes bigint not null default 0');
  }
}
