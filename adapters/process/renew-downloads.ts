import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../core/logging/logger.js';
import type { FreshDownloads } from '../../core/ports/workload-runner.js';
import type { SpecRecord } from './workload-records.js';
import type { WorkloadStore } from './workload-store.js';

/** A database or a store that is away must not hold up the other workloads of the host for longer. */
const RENEWAL_MS = 5_000;

/**
 * Gives the stager addresses that are good now, as the last thing before a start. Without it an endpoint that has to fetch
 * its model again would be FAILED for the people who call it: an address lives for an hour, and only as long as the
 * store's own credentials where these are temporary, from 15 minutes on.
 */
export async function renewDownloads(
  { store, freshDownloads, logger }: RenewalDeps,
  spec: SpecRecord,
): Promise<void> {
  if (!spec.hasDownloads) return;
  try {
    const downloads = await Promise.race([freshDownloads(spec.id), tooLate()]);
    // None for a training of release 0.1, whose row does not know what it fetches.
    if (downloads !== null && downloads.length > 0) await store.writeDownloads(spec, downloads);
  } catch (error) {
    // What it needs may be there already: a crash while the database is away must not end a served model.
    logger.warn(
      { err: error, workload: spec.id },
      'The addresses of its inputs were not renewed; it starts with those from before.',
    );
  }
}

interface RenewalDeps {
  readonly store: WorkloadStore;
  readonly freshDownloads: FreshDownloads;
  readonly logger: Logger;
}

async function tooLate(): Promise<never> {
  await sleep(RENEWAL_MS, undefined, { ref: false });
  throw new Error(`no answer within ${RENEWAL_MS} ms`);
}
