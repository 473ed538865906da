import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { beatHost } from '../../../models/workloads/host.platform.js';
import type { HostFacts } from '../../../models/workloads/host.types.js';
import { ABLE, aHost } from '../../builders/a-host.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

const OPEN: HostFacts = { ...ABLE, isolation: { kind: 'none', explanation: 'One trust domain.' } };

describe('an endpoint of an image that a tenant brought', () => {
  let api: TestApi;
  let tenant: TestTenant;
  const host = aHost();

  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
  });
  afterAll(() => api?.close());

  const create = async () => {
    const id = randomUUID();
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        `insert into image (id, tenant_id, kind, repository, tag, status, manifest_digest, runtime)
         values ($1, $2, 'import', $3, '1', 'READY', $4, 'sklearn')`,
        [id, tenant.id, `${tenant.code}/${id}`, `sha256:${'0'.repeat(64)}`],
      ),
    );
    return api.call('POST', '/api/v1/serving/endpoints', {
      ...{ token: api.admin.token, tenant: tenant.code },
      json: { name: `e-${id.slice(0, 8)}`, image_id: id },
    });
  };
  const says = (facts: HostFacts) => beatHost(api.container.db, host, facts);

  it('waits while no host is alive', async () => {
    expect((await create()).status).toBe(201);
  });

  it('is refused while every living host runs workloads as its own user', async () => {
    await says(OPEN);
    const refused = await create();
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({
        code: 'conflict',
        message: expect.stringMatching(/needs a host that gives each tenant a user of its own/),
      }),
    ]);
  });

  it('is taken where one host gives each tenant a user of its own', async () => {
    await says(OPEN);
    await beatHost(api.container.db, aHost(), ABLE);
    expect((await create()).status).toBe(201);
  });
});
