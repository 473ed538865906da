import { Migration } from '@mikro-orm/migrations';
import { tenantColumns, tenantTable, timestamps } from './house.js';

export class M0320ExternalSources extends Migration {
  override up(): void {
    this.sources();
    this.links();
  }

  private sources(): void {
    this.addSql(`create table external_source (${tenantColumns('external_source')},
      key text not null check (key ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'),
      name text not null,
      base_url text not null check (base_url ~ '^https?://' and char_length(base_url) <= 2048),
      sealed_token text,
      description text not null default '',
      enabled boolean not null default true,
      created_by uuid,
      ${timestamps},
      unique (tenant_id, key))`);
    this.addSql('create index external_source_name_idx on external_source (tenant_id, name, id)');
    this.addSql(tenantTable('external_source'));
  }

  private links(): void {
    // One source a dataset. A source in use cannot go: whoever removes it removes the links first.
    this.addSql(`create table dataset_source (
      tenant_id uuid not null,
      dataset_id uuid not null,
      source_id uuid not null,
      remote_dataset_id text not null check (char_length(remote_dataset_id) between 1 and 512),
      interval_s int check (interval_s between 300 and 2592000),
      linked_at timestamptz not null default now(),
      linked_by uuid,
      primary key (tenant_id, dataset_id),
      foreign key (tenant_id, dataset_id) references dataset (tenant_id, id) on delete cascade,
      foreign key (tenant_id, source_id) references external_source (tenant_id, id) on delete restrict)`);
    this.addSql('create index dataset_source_source_idx on dataset_source (tenant_id, source_id)');
    this.addSql(tenantTable('dataset_source'));
    this.addSql('create index dataset_external_source_idx on dataset (tenant_id, external_source) where external_source is not null');
  }
}
