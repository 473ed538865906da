import { Migration } from '@mikro-orm/migrations';
import {
  APP,
  callsOnStates,
  platformTable,
  tenantColumns,
  tenantTable,
  timestamps,
} from './table-policies.js';

const DIGEST = "~ '^sha256:[0-9a-f]{64}$'";

/** The container registry's tables, in the shape in which the OCI distribution interface serves them. */
export class ImagesBaseline extends Migration {
  override up(): void {
    this.blobs();
    this.blobRemovals();
    this.manifests();
    this.images();
  }

  private blobs(): void {
    // The bytes lie at blobs/sha256/<hex> and may be shared by tenants; a row says that this tenant has them.
    this.addSql(`create table image_blob (${tenantColumns('image_blob')},
      digest text not null check (digest ${DIGEST}),
      size_bytes bigint not null check (size_bytes >= 0),
      created_at timestamptz not null default now(),
      constraint image_blob_digest_key unique (tenant_id, digest))`);
    this.addSql('create index image_blob_object_idx on image_blob (digest)');
    this.addSql(tenantTable('image_blob'));
  }

  private blobRemovals(): void {
    // Bytes of blobs are shared by content and belong to no tenant: whoever is about to store some must see
    // that the same bytes are on their way out, whosever they were. leased_until is null where it has not
    // begun yet. deletion_id is set on the notes of an erasure, which may take them up again after a crash
    // without waiting for the lease.
    this.addSql(`create table image_blob_removal (
      digest text primary key,
      leased_until timestamptz,
      deletion_id uuid)`);
    this.addSql(`create index image_blob_removal_deletion_idx on image_blob_removal (deletion_id)
      where deletion_id is not null`);
    this.addSql(platformTable('image_blob_removal'));
    this.addSql(`create policy everyone on image_blob_removal for all to ${APP} using (true)`);
    this.addSql(`grant select, delete on image_blob_removal to ${APP}`);
  }

  private manifests(): void {
    // Kept byte for byte: the digest is that of the body as it was pushed. subject and artifact_type serve
    // referrers.
    this.addSql(`create table image_manifest (${tenantColumns('image_manifest')},
      repository text not null,
      digest text not null check (digest ${DIGEST}),
      media_type text not null,
      artifact_type text,
      subject_digest text check (subject_digest ${DIGEST}),
      body bytea not null,
      created_at timestamptz not null default now(),
      constraint image_manifest_digest_key unique (tenant_id, repository, digest))`);
    this.addSql(`create index image_manifest_subject_idx
      on image_manifest (tenant_id, repository, subject_digest) where subject_digest is not null`);
    this.addSql(tenantTable('image_manifest'));
    this.addSql(`create table image_manifest_blob (
      tenant_id uuid not null,
      manifest_id uuid not null,
      digest text not null,
      primary key (tenant_id, manifest_id, digest),
      foreign key (tenant_id, manifest_id) references image_manifest (tenant_id, id) on delete cascade,
      foreign key (tenant_id, digest) references image_blob (tenant_id, digest) on delete restrict)`);
    this.addSql('create index image_manifest_blob_digest_idx on image_manifest_blob (tenant_id, digest)');
    this.addSql(tenantTable('image_manifest_blob'));
    this.addSql(`create table image_tag (
      tenant_id uuid not null,
      repository text not null,
      tag text collate "C" not null check (tag ~ '^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$'),
      digest text not null,
      updated_at timestamptz not null default now(),
      primary key (tenant_id, repository, tag),
      foreign key (tenant_id, repository, digest)
        references image_manifest (tenant_id, repository, digest) on delete cascade)`);
    this.addSql('create index image_tag_digest_idx on image_tag (tenant_id, repository, digest)');
    this.addSql(tenantTable('image_tag'));
  }

  private images(): void {
    this.addSql(`create table image (${tenantColumns('image')},
      kind text not null check (kind in ('model', 'import')),
      model_version_id uuid,
      repository text not null,
      tag text,
      manifest_digest text check (manifest_digest ${DIGEST}),
      status text not null default 'BUILDING' check (status in ('BUILDING', 'READY', 'FAILED')),
      status_message text,
      runtime text,
      runtime_digest text,
      size_bytes bigint not null default 0,
      attempt int not null default 1 check (attempt > 0),
      created_by uuid,
      ${timestamps},
      constraint image_model_version_key unique (tenant_id, model_version_id),
      foreign key (tenant_id, model_version_id) references model_version (tenant_id, id) on delete restrict,
      check ((kind = 'model') = (model_version_id is not null)),
      check ((status = 'READY') = (manifest_digest is not null)))`);
    this.addSql('create index image_created_idx on image (tenant_id, created_at, id)');
    this.addSql(tenantTable('image'));
    this.addSql(callsOnStates('image', 'status'));
  }
}
