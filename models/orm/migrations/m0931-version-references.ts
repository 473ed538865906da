import { Migration } from '@mikro-orm/migrations';

const REFERENCES = 'references dataset_version (tenant_id, id) on delete restrict';

/** A dataset and a training refer to a version of their own tenant only, which cannot go before they do. */
export class M0931VersionReferences extends Migration {
  override up(): void {
    this.addSql('create index dataset_version_idx on dataset (tenant_id, version_id)');
    this.addSql(`alter table dataset add constraint dataset_version_fkey foreign key (tenant_id, version_id) ${REFERENCES}`);
    this.addSql('create index training_experiment_version_idx on training_experiment (tenant_id, dataset_version_id)');
    this.addSql(`alter table training_experiment add constraint training_experiment_version_fkey foreign key (tenant_id, dataset_version_id) ${REFERENCES}`);
  }
}
