import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createServingActivities } from '../../../activities/serving/serving.activities.js';
import {
  bringDown,
  ensureWorkload,
  OrderedAnew,
  takeAway,
} from '../../../activities/serving/serving-workload.js';
import { systemClock } from '../../../core/ports/clock.js';
import { asTenantId } from '../../../core/security/ids.js';
import { Listener } from '../../../models/orm/listener.js';
import { StateWaits } from '../../../models/orm/state-waits.js';
import { findEndpointById } from '../../../models/serving/endpoint.queries.js';
import { servingWorkflowId } from '../../../models/serving/serving-work.types.js';
import { beatHost } from '../../../models/workloads/host.platform.js';
import { startWorkload } from '../../../models/workloads/workload.commands.js';
import { ABLE, aHost } from '../../builders/a-host.js';
import { until } from '../../adapters/process/workload-waits.js';
import { ENDPOINT_FACTORY } from '../../api/serving/endpoint-factory.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../../api/support/test-api.js';

describe('the end of an endpoint that is given up', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let user: TestUser;
  let name: string;
  let id: string;
  let listener: Listener;
  let states: StateWaits;
  beforeAll(async () => {
    api = await startTestApi();
    const { DATABASE_PLATFORM_URL = '', DATABASE_DIRECT_URL } = api.env;
    listener = new Listener({
      connectionString: DATABASE_DIRECT_URL ?? DATABASE_PLATFORM_URL,
      applicationName: 'test-states',
    });
    // Without a call nothing is read again before the test is given up.
    states = new StateWaits(listener, () => 3_600_000);
    await listener.start();
    tenant = await api.addTenant();
    user = await api.addUser({ [tenant.code]: 'ADMIN' });
  });
  afterAll(async () => {
    await listener?.stop();
    await api.close();
  });
  beforeEach(async () => {
    ({ name = '' } = await ENDPOINT_FACTORY.create({
      api,
      tenant,
      user,
      canary: `e${randomUUID().slice(0, 8)}`,
    }));
    const [row] = await sql<{ id: string }>(
      "update serving_endpoint set status = 'RUNNING', wish = 'run' where name = $1 returning id",
    );
    id = row?.id as string;
    await runsOnHost();
  });

  /** Its workload, on a host whose part the test plays. */
  const runsOnHost = async () => {
    const host = aHost();
    await beatHost(api.container.db, host, ABLE);
    const [{ workload_id: workload } = { workload_id: '' }] = await sql<{ workload_id: string }>(
      'select workload_id from serving_endpoint where name = $1',
    );
    await api.container.db.inTenant(asTenantId(tenant.id), (tx) =>
      startWorkload(tx, api.container.settings.SERVICE_SECRET_KEYS, {
        ...{ kind: 'serving', name: workload, ownerId: id, attempt: 1, env: {}, replicas: 1 },
        spec: {
          ...{ kind: 'service', runtime: 'sklearn', entrypoint: 'serve.py', args: [], labels: {} },
          ...{ files: [], downloads: [], limits: { memoryBytes: 2 ** 30, timeoutS: null } },
        },
        wake: { workflowId: 'nobody', signal: 'look' },
      }),
    );
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        "update workload set host = $2, status = 'running', carried_out = revision where name = $1 and host is null",
        [workload, host.id],
      ),
    );
  };
  const ofWorkload = (statement: string) =>
    sql<{ id: string }>(
      `${statement} where name = (select workload_id from serving_endpoint where name = $1)`,
    );
  const wished = (wish: string) =>
    until(`wish ${wish}`, async () => {
      const [row] = await sql<{ wish: string }>(
        'select w.wish from workload w join serving_endpoint e on e.workload_id = w.name where e.name = $1',
      );
      return row?.wish === wish;
    });

  const sql = <R extends object>(text: string) =>
    api.container.db.inPlatform((tx) => tx.query<R>(text, [name]));
  const call = (method: string, path = '', json?: unknown) =>
    api.call(method, `/api/v1/serving/endpoints/${name}${path}`, {
      ...{ token: user.token, tenant: tenant.code },
      ...(json === undefined ? {} : { json }),
    });
  /** Gives the endpoint up; people order something while its workload is being stopped. */
  const giveUp = async (order: () => Promise<unknown>, isDeletion = false) => {
    const { giveUpEndpoint } = createServingActivities({
      database: api.container.db,
      states,
      clock: systemClock,
      keys: api.container.settings.SERVICE_SECRET_KEYS,
      probe: async () => false,
    });
    const input = { tenantId: tenant.id, endpointId: id, attempt: 1, connectTimeoutS: 600, carried: null };
    const givenUp = new MockActivityEnvironment().run(giveUpEndpoint, input, 'The image is gone.');
    await wished('stop');
    await order();
    await ofWorkload("update workload set status = 'stopped', carried_out = revision");
    if (isDeletion) {
      await wished('remove');
      await ofWorkload('delete from workload');
    }
    await givenUp;
    return (
      await sql<{ status: string; wish: string; status_message: string }>(
        'select status, wish, status_message from serving_endpoint where name = $1',
      )
    )[0];
  };

  it('is written although the endpoint was scaled under way', async () => {
    expect(await giveUp(() => call('PATCH', '', { replicas: 3 }))).toEqual({
      ...{ status: 'FAILED', wish: 'none', status_message: 'The image is gone.' },
    });
  });

  it('is what people ordered under way: stopped, or gone', async () => {
    expect(await giveUp(() => call('POST', '/stop'))).toMatchObject({ status: 'STOPPED', wish: 'stop' });
    await sql("update serving_endpoint set status = 'RUNNING', wish = 'run' where name = $1");
    await ofWorkload("update workload set wish = 'run', status = 'running'");
    expect(await giveUp(() => call('DELETE'), true)).toBeUndefined();
  });

  it('is left to those who read the latest order: a late step changes nothing', async () => {
    const tenantId = asTenantId(tenant.id);
    const read = await api.container.db.inTenant(tenantId, (tx) => findEndpointById(tx, id));
    if (!read) throw new Error('no endpoint');
    await call('POST', '/stop');
    const deps = { database: api.container.db, keys: api.container.settings.SERVICE_SECRET_KEYS };
    for (const step of [
      bringDown(deps, tenantId, read),
      takeAway(deps, tenantId, read),
      ensureWorkload(deps, tenantId, read, true),
    ])
      await expect(step).rejects.toThrow(OrderedAnew);
    const [row] = await sql<{ wish: string }>(
      'select w.wish from workload w join serving_endpoint e on e.workload_id = w.name where e.name = $1',
    );
    expect(row?.wish).toBe('run');
  });

  it('is looked for again by an order that stands already', async () => {
    const calls = async () =>
      (
        await api.container.db.inPlatform((tx) =>
          tx.query('select 1 from dispatch where workflow_id = $1', [
            servingWorkflowId({ tenantId: tenant.id, endpointId: id, attempt: 1 }),
          ]),
        )
      ).length;
    await call('DELETE');
    const before = await calls();
    await call('DELETE');
    expect(await calls()).toBe(before + 1);
  });
});
