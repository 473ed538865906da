import { Migration } from '@mikro-orm/migrations';

export class M0994SampleLabels extends Migration {
  override up(): void {
    // Samples show the first images of every class, whatever the number of images.
    this.addSql("create index dataset_file_label_idx on dataset_file (tenant_id, dataset_id, label, path) where kind = 'image'");
  }
}
