import { sql } from 'kysely';
import type { PlatformTransaction } from '../orm/transaction.js';
import { FORGET_OBJECTS, LEASE_OBJECTS } from './orphaned-object.sql.js';
import { mayRemoveObjects } from './removal-pause.sql.js';

/** An object of the store that no row refers to, and whose time has come. */
export interface DueObject {
  readonly id: string;
  readonly key: string;
  readonly multipartId: string | null;
}

/** How long a sweeper may take; a second one leaves its rows alone meanwhile. */
const LEASE_S = 300;
/** A held object is looked at again after this long, or at once when the hold goes. */
const HELD_AGAIN_S = 86_400;

/** Takes due objects that no held version of a dataset contains; none while a backup copies objects. */
export async function leaseDueObjects(tx: PlatformTransaction, limit: number): Promise<DueObject[]> {
  if (!(await mayRemoveObjects(tx))) return [];
  const rows = await tx.rows<DueObject & { isHeld: boolean }>(LEASE_OBJECTS, [limit, LEASE_S, HELD_AGAIN_S]);
  return rows.filter((row) => !row.isHeld).map(({ id, key, multipartId }) => ({ id, key, multipartId }));
}

/** In how many milliseconds the next object falls due; null when none waits. */
export async function nextObjectDueMs({ kysely }: PlatformTransaction): Promise<number | null> {
  const { ms } = await kysely
    .selectFrom('orphaned_object')
    .select(sql<number | null>`(extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8`.as('ms'))
    .executeTakeFirstOrThrow();
  return ms;
}

/** They are gone from the store. */
export async function forgetObjects(tx: PlatformTransaction, ids: readonly string[]): Promise<void> {
  await tx.execute(FORGET_OBJECTS, [ids]);
}
