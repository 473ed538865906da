import { tenantPrefix } from '../../models/tenants/erasure-survey.platform.js';
import { type Eraser, type ErasureStep, recordProgress } from './erasure-step.platform.js';

const BATCH = 1000;

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
