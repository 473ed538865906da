import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SEALED_COLUMNS, resealAll } from '../../../models/system/reseal.platform.js';
import { type KeyRing, parseKeyRing } from '../../../core/security/key-ring.js';
import { remoteEndpointOf } from '../../../models/sources/catalog/source-token.js';
import { asTenantId } from '../../../core/security/ids.js';
import { startWorkload } from '../../../models/workloads/workload.commands.js';
import type { NewWorkload } from '../../../models/workloads/workload.types.js';
import { openEnv } from '../../../models/workloads/workload-env.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

const entry = (id: string, seed: number) =>
  `${id}:${Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 37 + seed) % 256)).toString('base64')}`;
const [K1, K2, K3] = [entry('k1', 1), entry('k2', 2), entry('k3', 3)];
const SOURCES = 250;
const aService = (name: string, env: NewWorkload['env']): NewWorkload => ({
  ...{ name, env, ownerId: randomUUID(), attempt: 1, replicas: 1 },
  kind: 'serving',
  spec: {
    ...{ runtime: 'sklearn', origin: 'platform', entrypoint: './serve.py', args: [], labels: {} },
    ...{ files: [], downloads: [], limits: { memoryBytes: 2 ** 20, timeoutS: null } },
    kind: 'service',
  },
  wake: { workflowId: 'nobody', signal: 'workload' },
});

describe('the key that seals tokens of sources', () => {
  let api: TestApi;
  const tenants: TestTenant[] = [];
  beforeAll(async () => {
    api = await startTestApi({ SERVICE_SECRET_KEYS: K1 });
    tenants.push(await api.addTenant(), await api.addTenant());
    for (let n = 0; n < SOURCES; n += 1) {
      const json = { name: `Source ${n}`, base_url: 'https://data.example.org/api', token: `token-${n}` };
      expect(
        (
          await api.call('POST', '/api/v1/external-sources', {
            token: api.admin.token,
            tenant: tenants[n % 2]?.code as string,
            json,
          })
        ).status,
      ).toBe(201);
    }
  });
  afterAll(() => api?.close());

  const query = <R extends Record<string, unknown>>(sql: string, params: unknown[] = []) =>
    api.container.db.inPlatform((tx) => tx.query<R>(sql, params));
  const stored = () =>
    query<{ id: string; tenant_id: string; name: string; sealed_token: string }>(
      'select id, tenant_id, name, sealed_token from external_source order by name',
    );
  const tokenOf = (ring: KeyRing, tenantId: string, source: { id: string; sealed_token: string }) => {
    try {
      return remoteEndpointOf(ring, tenantId, {
        id: source.id,
        sealedToken: source.sealed_token,
        baseUrl: '',
      }).token;
    } catch {
      return null;
    }
  };
  /** Tokens that do not open to what was given. */
  const wrong = async (ring: KeyRing) => {
    const bad: string[] = [];
    for (const { tenant_id, name, ...source } of await stored())
      if (tokenOf(ring, tenant_id, source) !== name.replace('Source ', 'token-')) bad.push(name);
    return bad;
  };
  const keysInUse = async () =>
    (
      await query<{ key: string }>(
        "select distinct split_part(sealed_token, '.', 2) as key from external_source order by 1",
      )
    ).map(({ key }) => key);

  it('is changed twice while tokens are read: no read fails, none is left with an old key, and the old keys can go', async () => {
    for (const ring of [parseKeyRing(`${K2},${K1}`), parseKeyRing(`${K3},${K2}`)]) {
      let isOver = false;
      const reading = (async () => {
        const bad: string[] = [];
        do bad.push(...(await wrong(ring)));
        while (!isOver);
        return bad;
      })();
      await expect(resealAll(api.container.db, ring)).resolves.toEqual({ resealed: SOURCES, unreadable: [] });
      isOver = true;
      await expect(reading).resolves.toEqual([]);
      await expect(keysInUse()).resolves.toEqual([ring.keys[0]?.id]);
      await expect(resealAll(api.container.db, ring)).resolves.toEqual({ resealed: 0, unreadable: [] });
    }
    await expect(wrong(parseKeyRing(K3))).resolves.toEqual([]);
    expect(await wrong(parseKeyRing(K1))).toHaveLength(SOURCES);
    const rows = await query(
      "select detail from audit_entry where action = 'secrets.reseal' order by id limit 1",
    );
    expect(rows).toEqual([{ detail: { resealed: SOURCES, unreadable: 0 } }]);
  });

  it('opens nothing that was copied to another row, and names what cannot be opened', async () => {
    const [first, second] = await stored();
    await query('update external_source set sealed_token = $2 where id = $1', [
      second?.id,
      first?.sealed_token,
    ]);
    const { resealed, unreadable } = await resealAll(api.container.db, parseKeyRing(`${K1},${K3}`));
    expect({ resealed, unreadable }).toEqual({
      resealed: SOURCES - 1,
      unreadable: [`external_source.sealed_token of ${second?.id}`],
    });
  });

  it('seals the variables of workloads too: an endpoint starts again when the old key has gone', async () => {
    const tenantId = asTenantId((tenants[0] as TestTenant).id);
    const [name, env] = ['ep-kept', { ENDPOINT_TOKEN: 'only-here' }];
    await api.container.db.inTenant(tenantId, (tx) =>
      startWorkload(tx, parseKeyRing(K1), aService(name, env)),
    );
    await resealAll(api.container.db, parseKeyRing(`${K2},${K1},${K3}`));
    const [row] = await query<{ sealed_env: string }>('select sealed_env from workload where name = $1', [
      name,
    ]);
    expect(openEnv(parseKeyRing(K2), tenantId, name, row?.sealed_env ?? null)).toEqual(env);
  });

  it('is known for every column of the schema that holds a sealed text', async () => {
    const found = await query<{ place: string }>(
      `select table_name || '.' || column_name as place from information_schema.columns
       where table_schema = 'public' and column_name like 'sealed\\_%' and data_type = 'text'`,
    );
    const known = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
    expect(found.map(({ place }) => place).sort()).toEqual(known.sort());
  });
});
