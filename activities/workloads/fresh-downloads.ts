import type { ObjectStore } from '../../core/ports/object-store.js';
import type { FreshDownloads, WorkloadDownload } from '../../core/ports/workload-runner.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { readDownloads } from '../../models/workloads/hosted.platform.js';
import type { StoredDownload } from '../../models/workloads/workload.types.js';

/**
 * An address is made for one start, right before it: an hour is for a stager that fetches many gigabytes one after the
 * other, and for a start whose renewal fails because the database is away.
 */
const ADDRESS_S = 3600;

/** What workloads fetch when they are started again. */
export const createFreshDownloads =
  ({ database, objects }: { readonly database: Database; readonly objects: ObjectStore }): FreshDownloads =>
  async (name) => {
    const downloads = await readDownloads(database, name);
    return downloads === null ? null : presignDownloads(objects, downloads);
  };

export const presignDownloads = (
  objects: ObjectStore,
  downloads: readonly StoredDownload[],
): Promise<WorkloadDownload[]> =>
  Promise.all(
    downloads.map(async ({ key, ...download }) => ({
      ...download,
      url: await objects.presign('GET', key, ADDRESS_S),
    })),
  );
