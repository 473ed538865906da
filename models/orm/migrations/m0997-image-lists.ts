import { Migration } from '@mikro-orm/migrations';

export class M0997ImageLists extends Migration {
  override up(): void {
    // Lists of images, one a line, and their lines: `listed` where the image is here, `unlisted` where it is not.
    this.addSql('alter table dataset_annotation_file drop constraint dataset_annotation_file_kind_check');
    this.addSql("alter table dataset_annotation_file add check (kind in ('coco', 'voc', 'yolo', 'yolo_config', 'yolo_names', 'yolo_list'))");
    this.addSql('alter table dataset_annotation drop constraint dataset_annotation_match_check');
    this.addSql("alter table dataset_annotation add check (match in ('matched', 'case_mismatch', 'extension_mismatch', 'ambiguous_stem', 'no_image', 'listed', 'unlisted'))");
  }
}
