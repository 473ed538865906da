import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { asTenantId } from '../../../core/security/ids.js';
import { listDeploymentLog } from '../../../models/deployments/deployment-log.queries.js';
import type { TenantTransaction } from '../../../models/orm/transaction.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';
import { DEPLOYMENT_FACTORY } from './support/deployment-factory.js';

describe('the log of a deployment to many devices', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let deploymentId: string;

  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    const user = await api.addUser({ [tenant.code]: 'ADMIN' });
    const canary = `c${randomUUID().slice(0, 8)}`;
    deploymentId = (await DEPLOYMENT_FACTORY.create({ api, tenant, user, canary })).id as string;
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        `insert into deployment_log (tenant_id, deployment_id, device_key, step, message)
         select $1, $2, 'camera-' || n % 1000, 'downloading', 'line ' || n from generate_series(1, 20000) n`,
        [tenant.id, deploymentId],
      ),
    );
    const owner = new pg.Client({ connectionString: api.database.ownerUrl });
    await owner.connect();
    await owner.query('analyze deployment_log');
    await owner.end();
  });
  afterAll(() => api?.close());

  /** Rows of the log that a read looked at, by the statistics of its own transaction. */
  const rowsRead = (work: (tx: TenantTransaction) => Promise<unknown>) =>
    api.container.db.inTenant(asTenantId(tenant.id), async (tx) => {
      await work(tx);
      const [row] = await tx.query<{ n: number }>(
        `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as n from pg_stat_xact_user_tables
         where relname = 'deployment_log'`,
      );
      return row?.n;
    });

  it('is read for one device without the lines of the others', async () => {
    const seen = await rowsRead(async (tx) => {
      const page = await listDeploymentLog(
        tx,
        deploymentId,
        { step: null, device: 'camera-7' },
        { limit: 5 },
      );
      expect([page.total, page.items.length]).toEqual([20, 5]);
    });
    expect(seen).toBeLessThan(100);
  });
});
