import { afterAll, beforeAll } from '@jest/globals';
import { startTestApi, type TestApi, type TestTenant } from '../../support/test-api.js';
import { startTestWorker, type TestWorker } from '../../support/test-worker.js';
import { DeploymentKit } from './deployment-kit.js';

export interface DeploymentLab {
  readonly api: TestApi;
  readonly worker: TestWorker;
  readonly tenant: TestTenant;
  readonly kit: DeploymentKit;
}

/** For a `describe`: a platform with a tenant whose deployments go on, from its first hook on. */
export function deploymentLab(): () => DeploymentLab {
  let api: TestApi;
  let worker: TestWorker;
  let tenant: TestTenant;
  let kit: DeploymentKit;
  beforeAll(async () => {
    api = await startTestApi();
    worker = await startTestWorker(api.container.settings);
    tenant = await api.addTenant();
    kit = new DeploymentKit(api, tenant);
  }, 120_000);
  afterAll(async () => {
    await worker?.close();
    await api?.close();
  });
  return () => ({ api, worker, tenant, kit });
}
