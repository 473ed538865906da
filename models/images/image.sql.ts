/** $1 tenant, $2 repositories, $3 digests: manifests that no image names any more, with their links. */
export const DELETE_UNUSED_MANIFESTS = `
  -- bulk: the manifests of all images of a model
  delete from image_manifest m using unnest($2::text[], $3::text[]) as gone (repository, digest)
  where m.tenant_id = $1 and m.repository = gone.repository and m.digest = gone.digest
    and not exists (
      select 1 from image i
      where i.tenant_id = m.tenant_id and i.repository = m.repository and i.manifest_digest = m.digest)`;
