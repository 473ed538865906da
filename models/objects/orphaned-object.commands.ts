import { sql } from 'kysely';
import { unavailable } from '../../core/errors/app-error.js';
import { JOIN_DEADLINE_S } from '../../core/ports/object-store.js';
import type { TenantTransaction, Transaction } from '../orm/transaction.js';
import { mayRemoveObjects } from './removal-pause.sql.js';
import {
  ADOPT_OBJECTS,
  FORGET_OBJECTS,
  FREE_OBJECTS,
  GIVE_UP_OBJECTS,
  LEASE_OBJECTS,
  RECORD_OBJECTS,
} from './orphaned-object.sql.js';

/**
 * Objects of the store that no row refers to. Whoever writes an object notes it here first and adopts it in
 * the transaction that makes a row refer to it; whoever removes such a row frees the object in the same
 * transaction. A crash at any point leaves either a row with its object or an entry here that the sweeper
 * removes once due: no orphans, and no object goes before its row.
 */
export interface ObjectRef {
  readonly key: string;
  /** A multipart upload to be aborted along with the key, or ANY_MULTIPART. */
  readonly multipartId?: string | null;
}

/**
 * Every unfinished multipart upload to the key: for one that is about to begin, whose id a crash may keep
 * from us.
 */
export const ANY_MULTIPART = '*';

/** Longer than any single upload is allowed to take. */
export const WRITE_WITHIN_S = 24 * 3600;

/**
 * A process that was stopped in the middle may still write for a moment: what it was at goes a little later.
 */
export const LAST_WRITES_S = 60;
/** And the store may still be joining parts that are all there. */
export const LAST_JOIN_S = JOIN_DEADLINE_S + LAST_WRITES_S;

/** Notes objects that are about to be written. */
export async function recordOrphanedObjects(
  tx: TenantTransaction,
  objects: readonly ObjectRef[],
  withinS = WRITE_WITHIN_S,
): Promise<void> {
  if (objects.length > 0) await tx.execute(RECORD_OBJECTS, [tx.tenantId, ...columns(objects), withinS]);
}

/**
 * A row of this transaction refers to these objects from now on.
 * @throws AppError service_unavailable when the sweeper was faster, which takes a day
 */
export async function adoptObjects(tx: TenantTransaction, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const adopted = await tx.execute(ADOPT_OBJECTS, [tx.tenantId, keys]);
  if (adopted !== keys.length) throw unavailable('Storing took too long and was given up; send it again.');
}

/**
 * The rows that referred to these objects are gone, or never came: the sweeper removes them. Idempotent.
 * @param inS LAST_WRITES_S or LAST_JOIN_S where somebody may still be at them
 */
export async function freeObjects(
  tx: TenantTransaction,
  objects: readonly ObjectRef[],
  inS = 0,
): Promise<void> {
  if (objects.length > 0) await tx.execute(FREE_OBJECTS, [tx.tenantId, ...columns(objects), inS]);
}

/**
 * A recorded key that will never be used may be deleted. What a row refers to by now stays, since
 * the transaction whose answer was lost may have been committed.
 * @param inS LAST_WRITES_S where a write of it failed, LAST_JOIN_S where a join did: the store may still be
 * at it
 */
export async function giveUpObjects(tx: TenantTransaction, keys: readonly string[], inS = 0): Promise<void> {
  await tx.execute(GIVE_UP_OBJECTS, [tx.tenantId, keys, inS]);
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

/**
 * Takes due objects that no held version of a dataset contains; none while a backup copies objects.
 * Platform-wide: run by the sweeper alone.
 */
export async function leaseDueObjects(tx: Transaction, limit: number): Promise<DueObject[]> {
  if (!(await mayRemoveObjects(tx))) return [];
  const rows = await tx.rows<DueObject & { isHeld: boolean }>(LEASE_OBJECTS, [limit, LEASE_S, HELD_AGAIN_S]);
  return rows.filter((row) => !row.isHeld).map(({ id, key, multipartId }) => ({ id, key, multipartId }));
}

/** Channel on which sweepers hear of objects that are due; a trigger of orphaned_object sends on it. */
export const ORPHANED_OBJECT_CHANNEL = 'visionops_orphaned_objects';

/** In how many milliseconds the next object falls due; null when none waits. Platform-wide: asked by the sweeper alone. */
export async function nextObjectDueMs(tx: Transaction): Promise<number | null> {
  const { ms } = await tx.kysely
    .selectFrom('orphaned_object')
    .select(sql<number | null>`(extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8`.as('ms'))
    .executeTakeFirstOrThrow();
  return ms;
}

/** They are gone from the store. */
export async function forgetObjects(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.execute(FORGET_OBJECTS, [ids]);
}

const columns = (objects: readonly ObjectRef[]): [string[], Array<string | null>] => [
  objects.map((object) => object.key),
  objects.map((object) => object.multipartId ?? null),
];
