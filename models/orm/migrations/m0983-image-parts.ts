import { Migration } from '@mikro-orm/migrations';

export class M0983ImageParts extends Migration {
  override up(): void {
    // Folders that a YOLO configuration puts into parts: [{split, folder}].
    this.addSql("alter table dataset_annotation_file add column part_folders jsonb not null default '[]'");
    // Entries are read image by image.
    this.addSql("create index dataset_annotation_image_key on dataset_annotation (tenant_id, dataset_id, image_id, file_id, seq) where match = 'matched'");
  }
}
