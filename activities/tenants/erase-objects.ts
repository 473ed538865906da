import { leaseRemovalsOf, retireBlobsOfTenant } from '../../models/images/image-blob.sql.js';
import { tableCount } from '../../models/tenants/erasure-counts.rules.js';
import { IMAGE_TABLES, tenantPrefix } from '../../models/tenants/erasure-survey.platform.js';
import { listTenantTables } from '../../models/tenants/erasure-tables.sql.js';
import { removeLeasedBlobs } from '../images/image-sweep.platform.js';
import { eraseTable } from './erase-rows.js';
import { type Eraser, type ErasureStep, recordProgress } from './erasure-step.platform.js';

const BATCH = 1000;
const BLOBS = 20;

/** Unfinished uploads first: one that is joined in between becomes an object. */
export const removeObjects: Eraser = async (step) => {
  const prefix = tenantPrefix(step.tenantId);
  for (
    let uploads = await first(step.objects.listUnfinished(prefix));
    uploads.length > 0;
    uploads = await first(step.objects.listUnfinished(prefix))
  ) {
    step.signal.throwIfAborted();
    await countAfter(step, 'upload', uploads, (fresh) => ({
      unfinished_uploads: fresh.length,
      object_bytes: bytesOf(fresh),
    }));
    for (const { key, uploadId } of uploads) await step.objects.abortMultipart(key, uploadId);
  }
  for (
    let objects = await first(step.objects.list(prefix));
    objects.length > 0;
    objects = await first(step.objects.list(prefix))
  ) {
    step.signal.throwIfAborted();
    await countAfter(step, 'object', objects, (fresh) => ({
      objects: fresh.length,
      object_bytes: bytesOf(fresh),
    }));
    await step.objects.remove(objects.map(({ key }) => key));
  }
};

const bytesOf = (stored: ReadonlyArray<{ readonly sizeBytes: number }>): number =>
  stored.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/** Keys up to the one that is remembered were counted before a crash: they are removed and not counted again. */
function countAfter<T extends { readonly key: string }>(
  step: ErasureStep,
  kind: string,
  batch: readonly T[],
  count: (fresh: readonly T[]) => Record<string, number>,
): Promise<void> {
  return recordProgress(step, ({ checkpoint }) => {
    const known = (checkpoint ?? {}) as Record<string, string>;
    const fresh = batch.filter(({ key }) => key > (known[kind] ?? ''));
    return { counts: count(fresh), checkpoint: { ...known, [kind]: fresh.at(-1)?.key ?? known[kind] } };
  });
}

async function first<T>(all: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of all) if (found.push(each) === BATCH) break;
  return found;
}

/** Rows of the registry, then the bytes of blobs that no other tenant has. */
export const removeImages: Eraser = async (step) => {
  const tables = (await step.transact(listTenantTables)).filter(
    (table) => IMAGE_TABLES.includes(table.name) && table.name !== 'image_blob',
  );
  for (const table of tables) await eraseTable(step, table);
  for (let forgotten = BLOBS; forgotten === BLOBS; ) forgotten = await retireBlobs(step);
  await removeBlobsOf(step);
};

async function retireBlobs(step: ErasureStep): Promise<number> {
  step.signal.throwIfAborted();
  return step.transact(async (tx) => {
    const { forgotten, freed, freedBytes } = await retireBlobsOfTenant(
      tx,
      step.tenantId,
      step.deletionId,
      BLOBS,
    );
    if (forgotten > 0)
      await step.advance(tx, () => ({
        counts: { [tableCount('image_blob')]: forgotten, image_blobs: freed, image_blob_bytes: freedBytes },
      }));
    return forgotten;
  });
}

/** Removes the bytes of the blobs that this deletion has recorded. */
export async function removeBlobsOf(step: ErasureStep): Promise<void> {
  const removeSome = () =>
    removeLeasedBlobs(step.database, step.objects, (tx) => leaseRemovalsOf(tx, step.deletionId, BLOBS));
  do step.signal.throwIfAborted();
  while ((await removeSome()) > 0);
}
