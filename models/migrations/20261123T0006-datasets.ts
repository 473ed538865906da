import { Migration } from '@mikro-orm/migrations';
import {
  callsOnStates,
  CURRENT_TENANT,
  searchFunction,
  tenantColumns,
  tenantTable,
  timestamps,
} from './table-policies.js';

const SECURE = 'security definer';
const PATH = 'set search_path = public, pg_temp';

export class DatasetsBaseline extends Migration {
  override up(): void {
    this.versions();
    this.datasets();
    this.files();
    this.uploads();
    this.search();
  }

  private versions(): void {
    // What a validation froze. It outlives its dataset while something holds it, so there is no key to the
    // dataset.
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
      annotation_format text check (annotation_format in ('images', 'class_folders', 'coco', 'voc', 'yolo')),
      tasks jsonb not null default '{}',
      splits jsonb not null default '{}',
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

  private datasets(): void {
    // table_columns, table_rows: what a validation found in the dataset's tables, beside what its creator
    // declared.
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
      validation_status text not null default 'PENDING'
        check (validation_status in ('PENDING', 'RUNNING', 'PASSED', 'FAILED')),
      validation jsonb,
      validation_checked bigint not null default 0,
      validation_attempt int not null default 0,
      validation_active boolean not null default false,
      validate_after timestamptz,
      recheck_all boolean not null default false,
      recheck_annotations boolean not null default false,
      revision bigint not null default 0,
      file_count bigint not null default 0 check (file_count >= 0),
      file_bytes bigint not null default 0 check (file_bytes >= 0),
      table_columns jsonb not null default '[]',
      table_rows bigint,
      version_id uuid,
      created_by uuid,
      ${timestamps},
      unique (tenant_id, key),
      constraint dataset_version_fkey foreign key (tenant_id, version_id)
        references dataset_version (tenant_id, id) on delete restrict)`);
    this.addSql('create index dataset_name_idx on dataset (tenant_id, name, id)');
    this.addSql('create index dataset_created_idx on dataset (tenant_id, created_at, id)');
    this.addSql(`create index dataset_text_idx on dataset
      using gin (tenant_id, (key || ' ' || name) gin_trgm_ops)`);
    this.addSql('create index dataset_version_idx on dataset (tenant_id, version_id)');
    this.addSql(`create index dataset_external_source_idx on dataset (tenant_id, external_source)
      where external_source is not null`);
    this.addSql(`create index dataset_active_sync_idx on dataset (tenant_id, active_sync_id)
      where active_sync_id is not null`);
    this.addSql(tenantTable('dataset'));
    this.addSql(callsOnStates('dataset', 'status'));
  }

  private files(): void {
    // split: the part of the dataset that the file's folders name. phash: difference hash of 64 bits, null
    // where an image is too small or plain for one. tones: colours of 9 x 8 pixels of images whose hash says
    // too little to tell them apart, 216 bytes, null for others. likeness_version: by which way hash and
    // tones were made, those of different ways are not comparable; null of the first way. Width and height
    // are those of the pixels as stored; upright they change places where is_turned is true.
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
      split text check (split in ('train', 'val', 'test')),
      width int,
      height int,
      is_turned boolean not null default false,
      phash bigint,
      tones bytea,
      likeness_version smallint,
      preview_key text,
      added_revision bigint not null,
      created_by uuid,
      ${timestamps},
      constraint dataset_file_path_key unique (tenant_id, dataset_id, path),
      foreign key (tenant_id, dataset_id) references dataset (tenant_id, id) on delete cascade)`);
    this.addSql(`create index dataset_file_created_idx
      on dataset_file (tenant_id, dataset_id, created_at, id)`);
    this.addSql('create index dataset_file_size_idx on dataset_file (tenant_id, dataset_id, size_bytes, id)');
    this.addSql(`create index dataset_file_pending_idx on dataset_file (tenant_id, dataset_id, id)
      where status = 'pending'`);
    // Samples show the first images of every class, whatever the number of images.
    this.addSql(`create index dataset_file_label_idx on dataset_file (tenant_id, dataset_id, label, path)
      where kind = 'image'`);
    this.addSql(`create index dataset_file_text_idx on dataset_file
      using gin (dataset_id, path gin_trgm_ops)`);
    this.addSql(tenantTable('dataset_file'));
  }

  private uploads(): void {
    // replaced_bytes: of acknowledged parts that were sent again; a store may keep each of them until the
    // multipart upload ends.
    this.addSql(`create table dataset_upload (${tenantColumns('dataset_upload')},
      dataset_id uuid not null,
      path text not null,
      size_bytes bigint not null check (size_bytes >= 0),
      sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
      chunk_bytes bigint not null check (chunk_bytes > 0),
      chunk_count int not null check (chunk_count between 0 and 10000),
      replaced_bytes bigint not null default 0,
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
    this.addSql(`create index dataset_upload_dataset_idx
      on dataset_upload (tenant_id, dataset_id, created_at)`);
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

  private search(): void {
    this.addSql(`create function search_dataset(pattern text) returns setof uuid
      language sql stable ${SECURE} ${PATH} as $$
      select id from dataset where tenant_id = ${CURRENT_TENANT} and (key || ' ' || name) ilike pattern $$`);
    // Answers at most so many files, with what lists sort and filter by, so that one call serves page and
    // total. Planned with the pattern at hand: a rare one is found by its trigrams, a common one by reading
    // rows until enough are found.
    this.addSql(`create function search_dataset_file(dataset uuid, pattern text, most int)
      returns table (
        id uuid, path text, size_bytes bigint, created_at timestamptz, status text, kind text, origin text)
      language plpgsql stable ${SECURE} rows 100 ${PATH} as $$
      begin
        return query execute
          'select id, path, size_bytes, created_at, status, kind, origin from dataset_file
           where tenant_id = $1 and dataset_id = $2 and path ilike $3 limit $4'
          using ${CURRENT_TENANT}, dataset, pattern, most;
      end $$`);
    this.addSql(searchFunction('dataset', 'search_dataset(text)'));
    this.addSql(searchFunction('dataset_file', 'search_dataset_file(uuid, text, int)'));
  }
}
