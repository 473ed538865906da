import { Migration } from '@mikro-orm/migrations';
import { tenantColumns, tenantTable, timestamps } from './house.js';

export class M0325DatasetSyncs extends Migration {
  override up(): void {
    this.syncs();
    this.entries();
  }

  private syncs(): void {
    // The source may go while the history stays, so there is no key to it and its names are kept.
    this.addSql(`create table dataset_sync (${tenantColumns('dataset_sync')},
      dataset_id uuid not null,
      source_id uuid not null,
      source_key text not null,
      source_name text not null,
      remote_dataset_id text not null,
      trigger text not null check (trigger in ('manual', 'schedule')),
      status text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed', 'canceled')),
      status_message text,
      cancel_asked_at timestamptz,
      plan jsonb,
      files_total bigint not null default 0,
      files_done bigint not null default 0,
      bytes_total bigint not null default 0,
      bytes_done bigint not null default 0,
      warnings jsonb not null default '[]',
      warning_count bigint not null default 0,
      errors jsonb not null default '[]',
      error_count bigint not null default 0,
      started_at timestamptz,
      copy_started_at timestamptz,
      finished_at timestamptz,
      created_by uuid,
      created_by_email text,
      ${timestamps},
      foreign key (tenant_id, dataset_id) references dataset (tenant_id, id) on delete cascade)`);
    this.addSql("create unique index dataset_sync_active_key on dataset_sync (tenant_id, dataset_id) where status in ('queued', 'running')");
    this.addSql('create index dataset_sync_history_idx on dataset_sync (tenant_id, dataset_id, created_at desc, id desc)');
    this.addSql(tenantTable('dataset_sync'));
    this.addSql('alter table dataset add foreign key (tenant_id, active_sync_id) references dataset_sync (tenant_id, id)');
    this.addSql('create index dataset_active_sync_idx on dataset (tenant_id, active_sync_id) where active_sync_id is not null');
  }

  private entries(): void {
    // The manifest of a running sync, one row a file; removed when the sync ends. An entry owns its object from before
    // the first byte is written until a file of the dataset owns it or it becomes a loose object.
    this.addSql(`create table dataset_sync_entry (
      tenant_id uuid not null,
      sync_id uuid not null,
      position int not null,
      path text collate "C" not null,
      remote_path text,
      sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
      size_bytes bigint not null check (size_bytes >= 0),
      action text check (action in ('add', 'change', 'keep', 'same', 'clash')),
      state text not null default 'planned' check (state in ('planned', 'copying', 'copied', 'failed')),
      object_key text,
      multipart_id text,
      parts jsonb not null default '[]',
      bytes_done bigint not null default 0,
      media_type text,
      kind text,
      primary key (tenant_id, sync_id, position),
      constraint dataset_sync_entry_path_key unique (tenant_id, sync_id, path),
      foreign key (tenant_id, sync_id) references dataset_sync (tenant_id, id) on delete cascade)`);
    this.addSql("create index dataset_sync_entry_open_idx on dataset_sync_entry (tenant_id, sync_id, position) where state in ('planned', 'copying') and object_key is not null");
    this.addSql(tenantTable('dataset_sync_entry'));
  }
}
