import { Migration } from '@mikro-orm/migrations';
import { tenantTable } from './table-policies.js';

export class AnnotationsBaseline extends Migration {
  override up(): void {
    this.files();
    this.annotations();
  }

  private files(): void {
    // What the last reading of an annotation file found; gone with the file, written anew with each reading.
    // part_folders: folders that a YOLO configuration puts into parts: [{split, folder}].
    this.addSql(`create table dataset_annotation_file (
      tenant_id uuid not null,
      dataset_id uuid not null,
      file_id uuid not null,
      kind text not null check (kind in ('coco', 'voc', 'yolo', 'yolo_config', 'yolo_names', 'yolo_list')),
      classes jsonb not null default '[]',
      part_folders jsonb not null default '[]',
      keypoint_shape int[],
      image_count int not null,
      object_count bigint not null,
      orphan_count bigint not null,
      primary key (tenant_id, dataset_id, file_id),
      foreign key (tenant_id, dataset_id) references dataset (tenant_id, id) on delete cascade,
      constraint dataset_annotation_file_file_key unique (tenant_id, file_id),
      foreign key (tenant_id, file_id) references dataset_file (tenant_id, id) on delete cascade)`);
    this.addSql(tenantTable('dataset_annotation_file'));
  }

  private annotations(): void {
    // An annotation file's word on one image. objects: 40 bytes each (packed-objects.rules). image_id and
    // match are written by the matching, which every validation repeats; the image may be gone since. Lines
    // of lists of images are `listed` where the image is here, `unlisted` where it is not.
    this.addSql(`create table dataset_annotation (
      tenant_id uuid not null,
      dataset_id uuid not null,
      file_id uuid not null,
      seq int not null,
      refs text[] collate "C" not null,
      name text collate "C" not null,
      extension text collate "C",
      split text check (split in ('train', 'val', 'test')),
      width int,
      height int,
      objects bytea not null,
      image_id uuid,
      match text check (match in (
        'matched', 'case_mismatch', 'extension_mismatch', 'ambiguous_stem', 'no_image',
        'listed', 'unlisted')),
      primary key (tenant_id, dataset_id, file_id, seq),
      foreign key (tenant_id, dataset_id, file_id)
        references dataset_annotation_file (tenant_id, dataset_id, file_id) on delete cascade)`);
    // Entries are read image by image.
    this.addSql(`create index dataset_annotation_image_key
      on dataset_annotation (tenant_id, dataset_id, image_id, file_id, seq) where match = 'matched'`);
    this.addSql(tenantTable('dataset_annotation'));
  }
}
