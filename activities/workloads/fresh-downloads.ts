import type { ObjectStore } from '../../core/ports/object-store.js';
import type { FreshDownloads, WorkloadDownload } from '../../core/ports/workload-runner.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { readDownloads } from '../../models/workloads/hosted.platform.js';
import type { StoredDownload } from '../../models/workloads/workload.types.js';

/** The longest that a presigned address may live: what waits for a runtime still finds its files. */
const ADDRESS_S = 7 * 86_400;

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
