import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { issueJobToken } from '../../../core/security/job-token.js';
import { DatasetKit } from '../datasets/support/dataset-kit.js';
import { openSse } from '../support/sse-reader.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';
import { EXPERIMENT_FACTORY } from '../training/support/training-factories.js';

describe('a tenant that is switched off', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let user: TestUser;
  let made: Readonly<Record<string, string>>;

  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    user = await api.addUser({ [tenant.code]: 'ADMIN' });
    made = await EXPERIMENT_FACTORY.create({ api, tenant, user, canary: `c${randomUUID().slice(0, 8)}` });
  });
  afterAll(() => api?.close());

  const turn = (isActive: boolean) =>
    api.call('PATCH', `/api/v1/settings/tenants/${tenant.id}`, {
      token: api.admin.token,
      json: { is_active: isActive },
    });
  const list = (token: string) => api.call('GET', '/api/v1/datasets', { token, tenant: tenant.code });
  const trackerToken = async () => {
    const { body } = await api.call('POST', '/users/me/tokens', {
      token: user.token,
      json: { kind: 'tracker', tenant_code: tenant.code, name: 'laptop' },
    });
    return body.token as string;
  };
  const trackedRun = (token: string) =>
    api.call('GET', `/tracker/api/2.0/mlflow/runs/get?run_id=${made.run_id}`, { token });
  const logBatch = () =>
    api.call('POST', '/tracker/api/2.0/mlflow/runs/log-batch', {
      token: issueJobToken(api.container.settings.SERVICE_SECRET_KEYS, {
        tenantId: tenant.id,
        runId: made.run_id as string,
        attempt: 1,
      }),
      json: { run_id: made.run_id, metrics: [{ key: 'acc', value: 1, timestamp: 2, step: 2 }] },
    });

  it('is unknown to its members and to administrators, refuses the tokens of its jobs, and ends its streams within 5 s', async () => {
    expect([
      (await list(user.token)).status,
      (await list(api.admin.token)).status,
      (await logBatch()).status,
    ]).toEqual([200, 200, 200]);
    const stream = await openSse(`${api.base}/api/v1/training/experiments/${made.experiment_id}/logs`, {
      authorization: `Bearer ${user.token}`,
      'x-tenant': tenant.code,
    });
    expect((await stream.next()).event).toBe('connected');
    const tracker = await trackerToken();
    expect((await trackedRun(tracker)).status).toBe(200);
    expect((await turn(false)).status).toBe(200);
    expect((await trackedRun(tracker)).status).toBe(401);
    expect([(await list(user.token)).status, (await list(api.admin.token)).status]).toEqual([404, 404]);
    expect((await logBatch()).status).toBe(401);
    // What was logged before may still come.
    const rest = async () => {
      for (;;) await stream.next(5000);
    };
    await expect(rest()).rejects.toThrow('ended');
    expect((await api.call('GET', '/api/v1/tenants', { token: user.token })).body.total).toBe(0);
  });

  it('comes back with everything when it is switched on again', async () => {
    await turn(true);
    expect([(await list(user.token)).status, (await logBatch()).status]).toEqual([200, 200]);
  });

  it('cuts off an upload that is under way, so that nothing of it is stored', async () => {
    const kit = new DatasetKit(api, tenant, user.token);
    const dataset = await kit.draft('cut');
    const files = () =>
      api.container.db.inTenant(asTenantId(tenant.id), (tx) =>
        tx.query('select 1 from dataset_file f join dataset d on d.id = f.dataset_id where d.key = $1', [
          dataset,
        ]),
      );
    const boundary = 'cut-here';
    const { hostname, port } = new URL(api.base);
    const ended = new Promise<string>((resolve) => {
      const sent = request(
        {
          hostname,
          port,
          method: 'POST',
          path: `/api/v1/datasets/${dataset}/files`,
          headers: {
            authorization: `Bearer ${user.token}`,
            'x-tenant': tenant.code,
            'content-type': `multipart/form-data; boundary=${boundary}`,
          },
        },
        (answer) => resolve(String(answer.statusCode)),
      );
      sent.on('error', () => resolve('cut'));
      sent.write(
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: application/octet-stream\r\n\r\nhalf`,
      );
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await turn(false);
    const late = new Promise<string>((resolve) => setTimeout(() => resolve('still open'), 5000));
    expect(await Promise.race([ended, late])).toBe('cut');
    await turn(true);
    expect(await files()).toEqual([]);
  });
});
