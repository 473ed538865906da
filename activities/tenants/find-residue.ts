import { conflict } from '../../core/errors/app-error.js';
import { blobKey } from '../../models/images/image.types.js';
import { findingsOf } from '../../models/tenants/erasure-counts.rules.js';
import { surveyTenant, tenantPrefix } from '../../models/tenants/erasure-survey.platform.js';
import { workloadsOf } from '../../models/workloads/hosted.platform.js';
import { findOrphanBlobs, markOrphanBlobs } from '../images/image-sweep.platform.js';
import { removeBlobsOf } from './erase-rows.platform.js';
import { type Eraser, type ErasureStep, recordProgress } from './erasure-step.platform.js';
import { eraseAgain } from './late-arrivals.platform.js';

const BLOBS_PREFIX = 'blobs/sha256/';
const PAGE = 1000;
const NAMED = 3;

/**
 * Looks everywhere for what may be left. The first time it only looks, and a finding fails the deletion: somebody must see
 * that something came after its step. Begun again after a finding, it removes what it had found and looks once more.
 */
export const findResidue: Eraser = async (step) => {
  if (hadFindings(step.state.checkpoint)) await removeResidue(step);
  const findings = [...(await surveyed(step)), ...(await orphaned(step))];
  if (findings.length === 0) return;
  await recordProgress(step, () => ({ checkpoint: { findings } }));
  throw conflict(
    `Found after everything was removed: ${findings.join('; ')}. A retry removes it and looks again.`,
    { findings },
  );
};

const hadFindings = (checkpoint: unknown): boolean =>
  Array.isArray((checkpoint as { findings?: unknown } | null)?.findings);

async function surveyed(step: ErasureStep): Promise<string[]> {
  const found = await surveyTenant(step, step.tenantId);
  const findings = findingsOf(found);
  if ((found.objects ?? 0) > 0) findings.push(`objects such as ${(await someKeys(step)).join(', ')}`);
  if ((found.workloads ?? 0) > 0)
    findings.push(`workloads such as ${(await workloadsOf(step.database, step.tenantId, NAMED)).join(', ')}`);
  return findings;
}

async function someKeys(step: ErasureStep): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of step.objects.list(tenantPrefix(step.tenantId)))
    if (keys.push(key) === NAMED) break;
  return keys;
}

/** Blobs of the registry are shared by content: one that no tenant has any more may have been this tenant's. */
async function orphaned(step: ErasureStep): Promise<string[]> {
  const digests: string[] = [];
  for await (const orphans of orphanPages(step)) digests.push(...orphans);
  return digests.length === 0
    ? []
    : [
        `${digests.length} image ${digests.length === 1 ? 'blob' : 'blobs'} that no tenant has, such as ${digests.slice(0, NAMED).map(blobKey).join(', ')}`,
      ];
}

async function* orphanPages(step: ErasureStep): AsyncGenerator<string[]> {
  let page: string[] = [];
  for await (const { key } of step.objects.list(BLOBS_PREFIX)) {
    if (page.push(`sha256:${key.slice(BLOBS_PREFIX.length)}`) < PAGE) continue;
    yield await stillOrphans(step, page);
    page = [];
    step.signal.throwIfAborted();
  }
  yield await stillOrphans(step, page);
}

/**
 * Keys were listed before the question: a sweep may have removed the bytes since and forgotten them, and a tenant may
 * have come to have them. What is there after the first answer and has nobody by the second one was left.
 */
async function stillOrphans(step: ErasureStep, digests: readonly string[]): Promise<string[]> {
  const there: string[] = [];
  for (const digest of await findOrphanBlobs(step.database, digests))
    if ((await step.objects.head(blobKey(digest))) !== null) there.push(digest);
  return there.length === 0 ? there : findOrphanBlobs(step.database, there);
}

async function removeResidue(step: ErasureStep): Promise<void> {
  // What the erasers remember of their own way means nothing here.
  const again: ErasureStep = {
    ...step,
    state: { counts: {}, checkpoint: null },
    advance: (tx, change) =>
      step.advance(tx, (state) => ({ counts: change({ ...state, checkpoint: null })?.counts ?? {} })),
  };
  await eraseAgain(again);
  for await (const orphans of orphanPages(step))
    await markOrphanBlobs(step.database, orphans, step.deletionId);
  await removeBlobsOf(again);
}
