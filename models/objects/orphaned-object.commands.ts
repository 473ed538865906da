import { unavailable } from '../../core/errors/app-error.js';
import { JOIN_DEADLINE_S } from '../../core/ports/object-store.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { OrphanedObject } from './orphaned-object.entity.js';
import { ADOPT_OBJECTS, FREE_OBJECTS, GIVE_UP_OBJECTS, RECORD_OBJECTS } from './orphaned-object.sql.js';

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

/** Records objects that are about to be written. */
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

/** The dataset whose file had an object, with the revisions that the file was part of. */
export interface FormerFile {
  readonly datasetId: string;
  readonly fromRevision: number;
  readonly toRevision: number;
}

/** As `freeObjects`, for an object that stays while a held version is one of the revisions. */
export async function freeHeldObject(tx: TenantTransaction, key: string, of: FormerFile): Promise<void> {
  tx.em.create(OrphanedObject, { ...of, tenantId: tx.tenantId, objectKey: key, dueAt: new Date() });
  await tx.em.flush();
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

/** Channel on which sweepers hear of objects that are due; a trigger of orphaned_object sends on it. */
export const ORPHANED_OBJECT_CHANNEL = 'visionops_orphaned_objects';

const columns = (objects: readonly ObjectRef[]): [string[], Array<string | null>] => [
  objects.map((object) => object.key),
  objects.map((object) => object.multipartId ?? null),
];
