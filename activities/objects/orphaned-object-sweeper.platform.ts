import type { MultipartStore, ObjectStore } from '../../core/ports/object-store.js';
import type { Logger } from '../../core/logging/logger.js';
import {
  type DueObject,
  forgetObjects,
  leaseDueObjects,
  nextObjectDueMs,
} from '../../models/objects/due-objects.platform.js';
import { ANY_MULTIPART, ORPHANED_OBJECT_CHANNEL } from '../../models/objects/orphaned-object.commands.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { Listener } from '../../models/orm/listener.js';
import { inParallel } from '../../core/load/in-parallel.js';
import { type BackgroundLoop, pause } from '../support/background.js';
import { createWokenLoop } from '../support/woken-loop.js';

/** Objects that come one by one are removed together. */
const APART_MS = 3000;
const BATCH = 500;
const AT_ONCE = 8;

export interface SweeperDeps {
  readonly database: Database;
  readonly objects: Pick<ObjectStore, 'remove'> & Pick<MultipartStore, 'abortMultipart'>;
  readonly logger: Logger;
}

/**
 * Removes objects that no row refers to. Safe to run in every worker, and to be killed at any point: removal
 * is idempotent.
 */
export const createOrphanedObjectSweeper = (deps: SweeperDeps, listener: Listener): BackgroundLoop =>
  createWokenLoop({
    name: 'orphaned-objects',
    listener,
    channel: ORPHANED_OBJECT_CHANNEL,
    pass: async (signal) => {
      if ((await sweepOrphanedObjects(deps)) === BATCH) return 0;
      await pause(APART_MS, signal);
      return deps.database.inPlatform(nextObjectDueMs);
    },
  });

/** One batch. @returns how many objects were removed */
export async function sweepOrphanedObjects({ database, objects, logger }: SweeperDeps): Promise<number> {
  const due = await database.inPlatform((tx) => leaseDueObjects(tx, BATCH));
  if (due.length === 0) return 0;
  // Aborted first: a multipart upload that was joined in between would leave an object behind.
  const aborted = await settleEach(due, async ({ key, multipartId }) => {
    if (multipartId !== null)
      await objects.abortMultipart(key, multipartId === ANY_MULTIPART ? null : multipartId);
  });
  const removed = await removeAll(objects, aborted.done);
  const ids = removed.done.map(({ id }) => id);
  await database.inPlatform((tx) => forgetObjects(tx, ids));
  const failed = [...aborted.failed, ...removed.failed];
  if (failed.length > 0)
    logger.warn(
      { count: failed.length, err: failed[0]?.error },
      'orphaned objects could not be removed; they are tried again',
    );
  logger.debug({ count: removed.done.length }, 'orphaned objects removed');
  return removed.done.length;
}

interface Settled {
  readonly done: readonly DueObject[];
  readonly failed: ReadonlyArray<{ readonly error: unknown }>;
}

/** All at once, or where that fails each by itself. */
async function removeAll(objects: Pick<ObjectStore, 'remove'>, due: readonly DueObject[]): Promise<Settled> {
  try {
    await objects.remove(due.map(({ key }) => key));
    return { done: due, failed: [] };
  } catch {
    return settleEach(due, ({ key }) => objects.remove([key]));
  }
}

/** One that cannot be had must not hold up the others: its lease ends by itself. */
async function settleEach(
  due: readonly DueObject[],
  work: (object: DueObject) => Promise<void>,
): Promise<Settled> {
  const results = await inParallel(due, AT_ONCE, (object) =>
    work(object).then(
      () => ({ object, error: null }),
      (error: unknown) => ({ object: null, error }),
    ),
  );
  return {
    done: results.flatMap(({ object }) => (object === null ? [] : [object])),
    failed: results.filter(({ object }) => object === null),
  };
}
