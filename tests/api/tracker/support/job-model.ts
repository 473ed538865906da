import { issueJobToken } from '../../../../core/security/job-token.js';
import type { TestApi, TestTenant } from '../../support/test-api.js';

/** Stores the file `MLmodel` of a run as the job of its first attempt does. @returns the status of the answer */
export async function putModelAsJob(
  api: TestApi,
  tenant: TestTenant,
  runId: string,
  content = 'flavors: {}',
): Promise<number> {
  const token = issueJobToken(api.container.settings.SERVICE_SECRET_KEYS, {
    ...{ tenantId: tenant.id, runId, attempt: 1 },
  });
  const path = `/tracker/api/2.0/mlflow-artifacts/artifacts/${runId}/artifacts/model/MLmodel`;
  return (await api.call('PUT', path, { token, body: content })).status;
}
