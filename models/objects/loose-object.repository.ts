import { unavailable } from '../../core/errors/app-error.js';
import { JOIN_DEADLINE_S } from '../../core/ports/object-store.js';
import { type PlatformTransaction, prepared, type TenantTransaction, type Transaction } from '../orm/transaction.js';

/**
 * Objects of the store that no row refers to. Whoever writes an object notes it here first and adopts it in the
 * transaction that makes a row refer to it; whoever removes such a row frees the object in the same transaction. A crash
 * at any point leaves either a row with its object or an entry here that the sweeper removes once due: no orphans, and
 * no object goes before its row.
 */
export interface LooseObject {
  readonly key: string;
  /** A multipart upload to be aborted along with the key, or ANY_MULTIPART. */
  readonly multipartId?: string | null;
}

/** Every unfinished multipart upload to the key: for one that is about to begin, whose id a crash may keep from us. */
export const ANY_MULTIPART = '*';

/** Longer than any single upload is allowed to take. */
export const WRITE_WITHIN_S = 24 * 3600;

/** A process that was stopped in the middle may still write for a moment: what it was at goes a little later. */
export const LAST_WRITES_S = 60;
/** And the store may still be joining parts that are all there. */
export const LAST_JOIN_S = JOIN_DEADLINE_S + LAST_WRITES_S;

const NOTE = prepared(`insert into loose_object (tenant_id, object_key, multipart_id, due_at)
  select $1, key, multipart, now() + make_interval(secs => $4) from unnest($2::text[], $3::text[]) as o (key, multipart)`);

/** Notes objects that are about to be written. */
export async function noteLooseObjects(tx: TenantTransaction, objects: readonly LooseObject[], withinS = WRITE_WITHIN_S): Promise<void> {
  if (objects.length === 0) return;
  await tx.execute(NOTE, [tx.tenantId, objects.map((object) => object.key), objects.map((object) => object.multipartId ?? null), withinS]);
}

const ADOPT = prepared('delete from loose_object where tenant_id = $1 and object_key = any($2) and attempts = 0');

/**
 * A row of this transaction refers to these objects from now on.
 * @throws AppError service_unavailable when the sweeper was faster, which takes a day
 */
export async function adoptObjects(tx: TenantTransaction, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const adopted = await tx.execute(ADOPT, [tx.tenantId, keys]);
  if (adopted !== keys.length) throw unavailable('Storing took too long and was given up; send it again.');
}

/**
 * The rows that referred to these objects are gone, or never came: the sweeper removes them. Idempotent.
 * @param inS LAST_WRITES_S or LAST_JOIN_S where somebody may still be at them
 */
export async function freeObjects(tx: TenantTransaction, objects: readonly LooseObject[], inS = 0): Promise<void> {
  if (objects.length === 0) return;
  await tx.execute(
    `insert into loose_object (tenant_id, object_key, multipart_id, due_at) select $1, key, multipart, now() + make_interval(secs => $4) from unnest($2::text[], $3::text[]) as o (key, multipart)
     on conflict (object_key) do update set due_at = excluded.due_at, multipart_id = coalesce(excluded.multipart_id, loose_object.multipart_id)`,
    [tx.tenantId, objects.map((object) => object.key), objects.map((object) => object.multipartId ?? null), inS],
  );
}

/**
 * What was noted will not be written, or not be adopted: it may go. What a row refers to by now stays, since the
 * transaction whose answer was lost may have been committed.
 * @param inS LAST_WRITES_S where a write of it failed, LAST_JOIN_S where a join did: the store may still be at it
 */
export async function giveUpObjects(tx: TenantTransaction, keys: readonly string[], inS = 0): Promise<void> {
  await tx.execute('update loose_object set due_at = now() + make_interval(secs => $3) where tenant_id = $1 and object_key = any($2)', [tx.tenantId, keys, inS]);
}

export interface DueObject {
  readonly id: string;
  readonly key: string;
  readonly multipartId: string | null;
}

/** How long a sweeper may take; a second one leaves its rows alone meanwhile. */
const LEASE_S = 300;
/** A held object is looked at again after this long, or at once when the hold goes. */
const HELD_AGAIN_S = 86_400;

/** Takes due objects that no held version of a dataset contains. Platform-wide: run by the sweeper alone. */
export async function leaseDueObjects(tx: PlatformTransaction, limit: number): Promise<DueObject[]> {
  const rows = await tx.query<{ id: string; object_key: string; multipart_id: string | null; is_held: boolean }>(
    `with due as (
       select l.id, exists (select 1 from dataset_version v where v.tenant_id = l.tenant_id and v.dataset_id = l.dataset_id
         and v.revision >= l.from_revision and v.revision < l.to_revision) as is_held
       from loose_object l where l.due_at <= now() order by l.due_at limit $1 for update of l skip locked)
     update loose_object l set due_at = now() + make_interval(secs => case when due.is_held then $3::float8 else $2::float8 end),
       attempts = attempts + case when due.is_held then 0 else 1 end
     from due where l.id = due.id returning l.id, l.object_key, l.multipart_id, due.is_held`,
    [limit, LEASE_S, HELD_AGAIN_S],
  );
  return rows.filter((row) => !row.is_held).map((row) => ({ id: row.id, key: row.object_key, multipartId: row.multipart_id }));
}

export async function forgetObjects(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.execute('delete from loose_object where id = any($1)', [ids]);
}
