import { startTestApi, type TestApi } from '../../support/test-api.js';
import { startTestWorker, type TestWorker } from '../../support/test-worker.js';
import { DatasetKit } from './dataset-kit.js';

/** An API with a tenant, and calls about its datasets. */
export interface OpenKit {
  readonly api: TestApi;
  readonly kit: DatasetKit;
  close(): Promise<void>;
}

export interface WorkingKit extends OpenKit {
  readonly worker: TestWorker;
}

export async function openDatasetKit(): Promise<OpenKit> {
  const api = await startTestApi();
  return { api, kit: new DatasetKit(api, await api.addTenant()), close: () => api.close() };
}

/** With a worker beside the API, in the same process. */
export async function openWorkingKit(): Promise<WorkingKit> {
  const open = await openDatasetKit();
  const worker = await startTestWorker(open.api.container.settings);
  return {
    ...open,
    worker,
    close: async () => {
      await worker.close();
      await open.close();
    },
  };
}
