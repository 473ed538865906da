/** $1 tenant, $2 repositories, $3 digests: manifests that no image names any more, with their links. */
export const DELETE_UNUSED_MANIFESTS = `
  -- bulk: the manifests of all images of a model
  delete from image_manifest m using unnest($2::text[], $3::text[]) as gone (repository, digest)
  where m.tenant_id = $1 and m.repository = gone.repository and m.digest = gone.digest
    and not exists (
      select 1 from image i
      where i.tenant_id = m.tenant_id and i.repository = m.repository and i.manifest_digest = m.digest)`;

/** $1 tenant, $2 versions. Answers what named their manifests, and who waits for their builds. */
export const DELETE_IMAGES_OF_VERSIONS = `
  -- set: the images of all versions of a model
  delete from image where tenant_id = $1 and model_version_id = any($2)
  returning tenant_id, repository, manifest_digest, workflow_id, workflow_signal`;

/** $1 tenant, $2 repository, $3 digest, $4 media type, $5 body. One that an earlier attempt stored stays. */
export const INSERT_MANIFEST = `
  -- set: unless there is one of this digest, which does not break the transaction
  insert into image_manifest (tenant_id, repository, digest, media_type, body) values ($1, $2, $3, $4, $5)
  on conflict (tenant_id, repository, digest) do nothing`;

/** $1 tenant, $2 manifest, $3 digests. */
export const LINK_BLOBS = `
  -- bulk: all blobs of a manifest
  insert into image_manifest_blob (tenant_id, manifest_id, digest)
  select $1, $2, digest from unnest($3::text[]) as b (digest) on conflict do nothing`;
