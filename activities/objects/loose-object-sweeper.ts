import type { ObjectStore } from '../../core/ports/object-store.js';
import type { Logger } from '../../core/logging/logger.js';
import { ANY_MULTIPART, type DueObject, forgetObjects, leaseDueObjects } from '../../models/objects/loose-object.repository.js';
import type { Database } from '../../models/orm/database.js';
import { type BackgroundLoop, pause } from '../support/background.js';

const POLL_MS = 3000;
const BATCH = 500;

export interface SweeperDeps {
  readonly database: Database;
  readonly objects: ObjectStore;
  readonly logger: Logger;
}

/** Removes objects that no row refers to. Safe to run in every worker, and to be killed at any point: removal is idempotent. */
export const createLooseObjectSweeper = (deps: SweeperDeps): BackgroundLoop => ({
  name: 'loose-objects',
  async run(signal) {
    while (!signal.aborted) if ((await sweepLooseObjects(deps)) < BATCH) await pause(POLL_MS, signal);
  },
});

/** One batch. @returns how many objects were removed */
export async function sweepLooseObjects({ database, objects, logger }: SweeperDeps): Promise<number> {
  const due = await database.inPlatform((tx) => leaseDueObjects(tx, BATCH));
  if (due.length === 0) return 0;
  // Aborted first: a multipart upload that was joined in between would leave an object behind.
  for (const object of due) if (object.multipartId !== null) await objects.abortMultipart(object.key, object.multipartId === ANY_MULTIPART ? null : object.multipartId);
  await objects.remove(due.map((object: DueObject) => object.key));
  await database.inPlatform((tx) =>
    forgetObjects(
      tx,
      due.map((object: DueObject) => object.id),
    ),
  );
  logger.debug({ count: due.length }, 'loose objects removed');
  return due.length;
}
