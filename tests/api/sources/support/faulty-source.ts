import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import type { GeneratedDataset } from '../../../fakes/source-server/generated-dataset.js';
import { SourceServer } from '../../../fakes/source-server/source-server.js';
import { startTestApi, type TestApi } from '../../support/test-api.js';
import { startTestWorker } from '../../support/test-worker.js';
import { SyncKit } from './sync-kit.js';

/** Files of each dataset that `fresh` links. */
export const FILES = 12;

export interface FaultySource {
  readonly kit: SyncKit;
  readonly server: SourceServer;
  /** Links a new dataset to one of the source. */
  fresh(sizeOf?: (n: number) => number): Promise<{ remote: GeneratedDataset; dataset: string }>;
}

/** For a `describe`: a platform and a source whose faults end with each test; no test may leave an object without a row. */
export function faultySource(): () => FaultySource {
  let api: TestApi;
  let worker: Awaited<ReturnType<typeof startTestWorker>>;
  let kit: SyncKit;
  let server: SourceServer;
  let count = 0;
  beforeAll(async () => {
    server = await SourceServer.start();
    api = await startTestApi({
      SERVICE_OUTBOUND_ALLOW: '127.0.0.0/8',
      SERVICE_SYNC_PATIENCE_S: '4',
      SERVICE_SYNC_PARALLEL: '3',
    });
    worker = await startTestWorker(api.container.settings);
    kit = new SyncKit(api, await api.addTenant());
  });
  afterEach(async () => {
    server.heal();
    await expect(kit.unaccounted()).resolves.toEqual([]);
  });
  afterAll(async () => {
    await worker?.close();
    await api?.close();
    await server?.close();
  });
  const fresh = async (sizeOf?: (n: number) => number) => {
    const id = `d${count++}`;
    const remote = server.add({ id, files: FILES, ...(sizeOf ? { sizeOf } : {}) });
    return { remote, dataset: await kit.linked(server, id) };
  };
  return () => ({ kit, server, fresh });
}
