import { Migration } from '@mikro-orm/migrations';
import { tenantTable } from './house.js';

export class M0330DatasetAnnotations extends Migration {
  override up(): void {
    // phash: difference hash of 64 bits, null where an image is too small or plain for one. split: the part of the dataset
    // that the file's folders name.
    this.addSql("alter table dataset_file add column phash bigint, add column split text check (split in ('train', 'val', 'test'))");
    this.addSql('alter table dataset add column recheck_annotations boolean not null default false');
    this.addSql(`alter table dataset_version add column annotation_format text check (annotation_format in ('images', 'class_folders', 'coco', 'voc', 'yolo')),
      add column tasks jsonb not null default '{}', add column splits jsonb not null default '{}'`);
    // What the last reading of an annotation file found; gone with the file, written anew with each reading.
    this.addSql(`create table dataset_annotation_file (
      tenant_id uuid not null,
      dataset_id uuid not null,
      file_id uuid not null,
      kind text not null check (kind in ('coco', 'voc', 'yolo', 'yolo_config', 'yolo_names')),
      classes jsonb not null default '[]',
      keypoint_shape int[],
      image_count int not null,
      object_count bigint not null,
      orphan_count bigint not null,
      primary key (tenant_id, dataset_id, file_id),
      foreign key (tenant_id, dataset_id) references dataset (tenant_id, id) on delete cascade,
      constraint dataset_annotation_file_file_key unique (tenant_id, file_id),
      foreign key (tenant_id, file_id) references dataset_file (tenant_id, id) on delete cascade)`);
    this.addSql(tenantTable('dataset_annotation_file'));
    // An annotation file's word on one image. objects: 40 bytes each (packed-objects.rules). image_id and match are written
    // by the matching, which every validation repeats; the image may be gone since.
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
      match text check (match in ('matched', 'case_mismatch', 'extension_mismatch', 'ambiguous_stem', 'no_image')),
      primary key (tenant_id, dataset_id, file_id, seq),
      foreign key (tenant_id, dataset_id, file_id) references dataset_annotation_file (tenant_id, dataset_id, file_id) on delete cascade)`);
    this.addSql(tenantTable('dataset_annotation'));
  }
}
