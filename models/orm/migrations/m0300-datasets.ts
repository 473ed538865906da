import { Migration } from '@mikro-orm/migrations';
import { CURRENT_TENANT, SEARCH, APP, PLATFORM, tenantColumns, tenantTable, timestamps } from './house.js';

export class M0300Datasets extends Migration {
  override up(): void {
    this.looseObjects();
    this.datasets();
    this.files();
    this.versions();
    this.uploads();
    this.search();
  }

  private looseObjects(): void {
    // Every object of the store that no row refers to: not yet (it is being written) or no longer (its row is gone).
    // Written before the object, deleted in the transaction that makes a row refer to it, swept once due.
    this.addSql(`create table loose_object (${tenantColumns('loose_object')},
      object_key text not null unique,
      multipart_id text,
      dataset_id uuid,
      from_revision bigint,
      to_revision bigint,
      due_at timestamptz not null,
      attempts int not null default 0,
      created_at timestamptz not null default now(),
      check ((dataset_id is null) = (from_revision is null) and (dataset_id is null) = (to_revision is null)))`);
    this.addSql('create index loose_object_due_idx on loose_object (due_at)');
    this.addSql('create index loose_object_dataset_idx on loose_object (tenant_id, dataset_id) where dataset_id is not null');
    this.addSql(tenantTable('loose_object'));
  }

  private datasets(): void {
    this.addSql(`create table dataset (${tenantColumns('dataset')},
      key text not null check (key ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'),
      name text not null,
      modality text not null default 'image',
      source text not null default 'upload',
      schema_version text,
      declared_records bigint not null default 0,
      declared_bytes bigint not null default 0,
      format text not null default 'images',
      key_fields jsonb not null default '[]',
      variables jsonb not null default '[]',
      storage_uri text,
      external_source text,
      active_sync_id uuid,
      status text not null default 'DRAFT' check (status in ('DRAFT', 'VALIDATING', 'FROZEN', 'FAILED')),
      validation_status text not null default 'PENDING' check (validation_status in ('PENDING', 'RUNNING', 'PASSED', 'FAILED')),
      validation jsonb,
      validation_checked bigint not null default 0,
      validation_attempt int not null default 0,
      validation_active boolean not null default false,
      validate_after timestamptz,
      recheck_all boolean not null default false,
      revision bigint not null default 0,
      file_count bigint not null default 0 check (file_count >= 0),
      file_bytes bigint not null default 0 check (file_bytes >= 0),
      version_id uuid,
      created_by uuid,
      ${timestamps},
      unique (tenant_id, key))`);
    this.addSql('create index dataset_name_idx on dataset (tenant_id, name, id)');
    this.addSql('create index dataset_created_idx on dataset (tenant_id, created_at, id)');
    this.addSql("create index dataset_text_idx on dataset using gin (tenant_id, (key || ' ' || name) gin_trgm_ops)");
    this.addSql(tenantTable('dataset'));
  }

  private files(): void {
    this.addSql(`create table dataset_file (${tenantColumns('dataset_file')},
      dataset_id uuid not null,
      path text collate "C" not null,
      sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
      size_bytes bigint not null check (size_bytes >= 0),
      object_key text not null,
      media_type text not null,
      kind text not null check (kind in ('image', 'annotation', 'tabular', 'other')),
      status text not null default 'pending' check (status in ('pending', 'valid', 'invalid')),
      reason text,
      origin text not null default 'upload' check (origin in ('upload', 'sync')),
      label text,
      width int,
      height int,
      preview_key text,
      added_revision bigint not null,
      created_by uuid,
      ${timestamps},
      constraint dataset_file_path_key unique (tenant_id, dataset_id, path),
      foreign key (tenant_id, dataset_id) references dataset (tenant_id, id) on delete cascade)`);
    this.addSql('create index dataset_file_created_idx on dataset_file (tenant_id, dataset_id, created_at, id)');
    this.addSql('create index dataset_file_size_idx on dataset_file (tenant_id, dataset_id, size_bytes, id)');
    this.addSql("create index dataset_file_pending_idx on dataset_file (tenant_id, dataset_id, id) where status = 'pending'");
    this.addSql('create index dataset_file_text_idx on dataset_file using gin (dataset_id, path gin_trgm_ops)');
    this.addSql(tenantTable('dataset_file'));
  }

  private versions(): void {
    // What a validation froze. It outlives its dataset while something holds it, so there is no key to the dataset.
    this.addSql(`create table dataset_version (${tenantColumns('dataset_version')},
      dataset_id uuid not null,
      dataset_key text not null,
      dataset_name text not null,
      revision bigint not null,
      digest text not null check (digest ~ '^[0-9a-f]{64}$'),
      manifest_key text not null,
      file_count bigint not null,
      size_bytes bigint not null,
      classes jsonb not null default '[]',
      created_at timestamptz not null default now(),
      unique (tenant_id, dataset_id, revision))`);
    this.addSql(tenantTable('dataset_version'));
    this.addSql(`create table dataset_hold (${tenantColumns('dataset_hold')},
      version_id uuid not null,
      holder_kind text not null,
      holder_id uuid not null,
      created_at timestamptz not null default now(),
      unique (tenant_id, version_id, holder_kind, holder_id),
      foreign key (tenant_id, version_id) references dataset_version (tenant_id, id) on delete restrict)`);
    this.addSql('create index dataset_hold_holder_idx on dataset_hold (tenant_id, holder_kind, holder_id)');
    this.addSql(tenantTable('dataset_hold'));
  }

  private uploads(): void {
    this.addSql(`create table dataset_upload (${tenantColumns('dataset_upload')},
      dataset_id uuid not null,
      path text not null,
      size_bytes bigint not null check (size_bytes >= 0),
      sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
      computed_sha256 text,
      chunk_bytes bigint not null check (chunk_bytes > 0),
      chunk_count int not null check (chunk_count between 0 and 10000),
      state text not null default 'open' check (state in ('open', 'assembling', 'done', 'failed', 'expired')),
      object_key text not null,
      multipart_id text,
      is_archive boolean not null default false,
      result jsonb,
      error_code text,
      error text,
      touched_at timestamptz not null default now(),
      created_by uuid,
      created_by_email text,
      ${timestamps},
      foreign key (tenant_id, dataset_id) references dataset (tenant_id, id) on delete cascade)`);
    this.addSql('create index dataset_upload_dataset_idx on dataset_upload (tenant_id, dataset_id, created_at)');
    this.addSql("create index dataset_upload_open_idx on dataset_upload (touched_at) where state = 'open'");
    this.addSql(tenantTable('dataset_upload'));
    this.addSql(`create table dataset_upload_chunk (
      tenant_id uuid not null,
      upload_id uuid not null,
      index int not null check (index >= 0),
      size_bytes bigint not null,
      etag text not null,
      object_key text,
      at timestamptz not null default now(),
      primary key (tenant_id, upload_id, index),
      foreign key (tenant_id, upload_id) references dataset_upload (tenant_id, id) on delete cascade)`);
    this.addSql(tenantTable('dataset_upload_chunk'));
  }

  /** Trigram operators are not leakproof: under a policy their index would be dropped from the plan (ARCHITECTURE, Tenancy 4). */
  private search(): void {
    this.addSql(`create function search_dataset(pattern text) returns setof uuid language sql stable security definer set search_path = public, pg_temp as $$
      select id from dataset where tenant_id = ${CURRENT_TENANT} and (key || ' ' || name) ilike pattern $$`);
    this.addSql(`create function search_dataset_file(dataset uuid, pattern text) returns setof uuid language sql stable security definer set search_path = public, pg_temp as $$
      select id from dataset_file where tenant_id = ${CURRENT_TENANT} and dataset_id = dataset and path ilike pattern $$`);
    this.addSql(`grant select on dataset, dataset_file to ${SEARCH}`);
    for (const signature of ['search_dataset(text)', 'search_dataset_file(uuid, text)']) {
      this.addSql(`alter function ${signature} owner to ${SEARCH}`);
      this.addSql(`revoke all on function ${signature} from public`);
      this.addSql(`grant execute on function ${signature} to ${APP}, ${PLATFORM}`);
    }
  }
}
