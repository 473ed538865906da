import { Migration } from '@mikro-orm/migrations';
import { callsOnStates, tenantColumns, tenantTable, timestamps } from './table-policies.js';

export class SourcesBaseline extends Migration {
  override up(): void {
    this.sources();
    this.links();
    this.syncs();
    this.entries();
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
    // last_sync_at: when the last sync of the dataset was started, by whomever; a schedule counts its
    // interval from here. failures_in_row: scheduled syncs that failed since one of any kind was done, or the
    // link was made: the next waits longer for each.
    this.addSql(`create table dataset_source (
      tenant_id uuid not null,
      dataset_id uuid not null,
      source_id uuid not null,
      remote_dataset_id text not null check (char_length(remote_dataset_id) between 1 and 512),
      interval_s int check (interval_s between 300 and 2592000),
      linked_at timestamptz not null default now(),
      linked_by uuid,
      last_sync_at timestamptz,
      failures_in_row int not null default 0,
      primary key (tenant_id, dataset_id),
      foreign key (tenant_id, dataset_id) references dataset (tenant_id, id) on delete cascade,
      foreign key (tenant_id, source_id) references external_source (tenant_id, id) on delete restrict)`);
    this.addSql('create index dataset_source_source_idx on dataset_source (tenant_id, source_id)');
    this.addSql(`create index dataset_source_schedule_idx
      on dataset_source ((coalesce(last_sync_at, linked_at)))
      where interval_s is not null`);
    this.addSql(tenantTable('dataset_source'));
  }

  private syncs(): void {
    // The source may go while the history stays, so there is no key to it and its names are kept. Waiting for
    // a source outlives the activity that found it away, so how long and how often is kept in the row; the
    // same for failures in a row, which several batches may bring together. delete_asked_by: who wants the
    // dataset deleted as soon as this sync has ended; null: nobody. plan_attempt: which attempt may write the
    // manifest, as one that was given up may still run. Entries up to the positions taken_small and
    // taken_large count as begun: small ones, and those that are copied in parts.
    this.addSql(`create table dataset_sync (${tenantColumns('dataset_sync')},
      dataset_id uuid not null,
      source_id uuid not null,
      source_key text not null,
      source_name text not null,
      remote_dataset_id text not null,
      trigger text not null check (trigger in ('manual', 'schedule')),
      status text not null default 'queued'
        check (status in ('queued', 'running', 'done', 'failed', 'canceled')),
      status_message text,
      cancel_asked_at timestamptz,
      delete_asked_by jsonb,
      plan jsonb,
      plan_attempt int not null default 0,
      taken_small int not null default -1,
      taken_large int not null default -1,
      files_total bigint not null default 0,
      files_done bigint not null default 0,
      bytes_total bigint not null default 0,
      bytes_done bigint not null default 0,
      away_since timestamptz,
      away_tries int not null default 0,
      failures_in_row int not null default 0,
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
    this.addSql(`create unique index dataset_sync_active_key on dataset_sync (tenant_id, dataset_id)
      where status in ('queued', 'running')`);
    this.addSql(`create index dataset_sync_history_idx
      on dataset_sync (tenant_id, dataset_id, created_at desc, id desc)`);
    this.addSql(tenantTable('dataset_sync'));
    this.addSql(callsOnStates('dataset_sync', 'status'));
    // Dataset and sync refer to each other.
    this.addSql(`alter table dataset add foreign key (tenant_id, active_sync_id)
      references dataset_sync (tenant_id, id)`);
  }

  private entries(): void {
    // The manifest of a running sync, one row a file; removed when the sync ends. An entry owns its object
    // from before the first byte is written until a file of the dataset owns it or it becomes a loose object.
    // Actions: `too_large`: no object can hold it; `outgrown`: the same, and the file of an earlier sync
    // stays. A file that the source could not give just now is `later`: it comes again behind the others,
    // from again_at on. Entries are written by the thousand and have no statistics yet when they are taken: a
    // unique index that begins like the primary key would look as good as it for entries by position, and
    // would be walked from end to end. An entry is written twice, by the plan and with its result. The second
    // write stays on the page of the first and touches no index: none holds the state, and pages are filled
    // by half.
    this.addSql(`create table dataset_sync_entry (
      tenant_id uuid not null,
      sync_id uuid not null,
      position int not null,
      path text collate "C" not null,
      remote_path text,
      sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
      size_bytes bigint not null check (size_bytes >= 0),
      action text check (action in ('add', 'change', 'keep', 'same', 'clash', 'too_large', 'outgrown')),
      state text not null default 'planned'
        check (state in ('planned', 'copying', 'copied', 'failed', 'later')),
      tries int not null default 0,
      again_at timestamptz,
      object_key text,
      multipart_id text,
      parts jsonb not null default '[]',
      bytes_done bigint not null default 0,
      media_type text,
      kind text,
      primary key (tenant_id, sync_id, position),
      constraint dataset_sync_entry_path_key unique (path, sync_id, tenant_id),
      foreign key (tenant_id, sync_id) references dataset_sync (tenant_id, id) on delete cascade)
      with (fillfactor = 50)`);
    this.addSql(tenantTable('dataset_sync_entry'));
  }
}
