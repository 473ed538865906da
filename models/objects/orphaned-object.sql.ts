/** $1 tenant, $2 keys, $3 multipart ids, $4 seconds until they are due. */
export const RECORD_OBJECTS = `
  -- bulk: a batch of files or a whole upload is recorded at once
  insert into orphaned_object (tenant_id, object_key, multipart_id, due_at)
  select $1, key, multipart, now() + make_interval(secs => $4)
  from unnest($2::text[], $3::text[]) as o (key, multipart)`;

/** As RECORD_OBJECTS, for objects that may be recorded already. */
export const FREE_OBJECTS = `${RECORD_OBJECTS}
  on conflict (object_key) do update set due_at = excluded.due_at,
    multipart_id = coalesce(excluded.multipart_id, orphaned_object.multipart_id)`;

/** $1 tenant, $2 keys. What a sweeper has taken stays. */
export const ADOPT_OBJECTS = `
  -- bulk: the files of a batch are adopted at once
  delete from orphaned_object where tenant_id = $1 and object_key = any($2) and attempts = 0`;

/** $1 tenant, $2 keys, $3 seconds until they are due. */
export const GIVE_UP_OBJECTS = `
  -- bulk: the files of a batch are given up at once
  update orphaned_object set due_at = now() + make_interval(secs => $3)
  where tenant_id = $1 and object_key = any($2)`;

/** $1 most of them, $2 seconds of the lease, $3 seconds until a held one is looked at again. */
export const LEASE_OBJECTS = `
  with due as (
    select l.id, exists (
        select 1 from dataset_version v where v.tenant_id = l.tenant_id and v.dataset_id = l.dataset_id
        and v.revision >= l.from_revision and v.revision < l.to_revision) as is_held
    from orphaned_object l where l.due_at <= now() order by l.due_at limit $1 for update of l skip locked)
  -- bulk: a sweeper takes its whole batch, whatever other sweepers hold
  update orphaned_object l set
    due_at = now() + make_interval(secs => case when due.is_held then $3::float8 else $2::float8 end),
    attempts = attempts + case when due.is_held then 0 else 1 end
  from due where l.id = due.id returning l.id, l.object_key as key, l.multipart_id, due.is_held`;

/** $1 ids. */
export const FORGET_OBJECTS = `
  -- bulk: a sweeper's whole batch
  delete from orphaned_object where id = any($1)`;
