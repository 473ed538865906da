import { randomUUID } from 'node:crypto';
import { openObjectStore } from '../../../adapters/minio/open-object-store.js';
import {
  startTestApi,
  type TestApi,
  type TestTenant,
  type TestUser,
  type Walls,
} from '../support/test-api.js';
import { storedOf } from '../tenants/support/full-tenant.js';
import { type Operation, operationsOf } from './operations.js';
import { EXEMPT, RESOURCE_FACTORIES } from './resource-factories.js';

type Values = Readonly<Record<string, string>>;

/** Two tenants of one API, each with a resource of every kind, and those who try to reach from B into A. */
export interface TenantPair {
  readonly api: TestApi;
  readonly a: TestTenant;
  readonly b: TestTenant;
  readonly ofA: TestUser;
  readonly ofB: TestUser;
  /** Signed in, and working in tenant B: its own people, somebody who belongs to both, a global administrator. */
  readonly askers: Readonly<Record<string, TestUser>>;
  /** Stands in every text that A has given itself. */
  readonly canary: string;
  /** Resources of A and of B by the factory's prefix. */
  readonly theirs: ReadonlyMap<string, Values>;
  readonly own: ReadonlyMap<string, Values>;
  readonly operations: readonly Operation[];
  /** Operations of a tenant that name one of its resources. */
  readonly named: readonly Operation[];
}

export async function startTenantPair(walls: Walls): Promise<TenantPair> {
  const api = await startTestApi({ SERVICE_STREAMS_PER_USER: '1000' }, walls);
  const canary = `canary${randomUUID().slice(0, 8)}`;
  const [a, b] = [await api.addTenant(), await api.addTenant()];
  const [ofA, ofB, ofBoth] = [
    await api.addUser({ [a.code]: 'ADMIN' }),
    await api.addUser({ [b.code]: 'ADMIN' }),
    await api.addUser({ [a.code]: 'ADMIN', [b.code]: 'ADMIN' }),
  ];
  const [theirs, own] = [new Map<string, Values>(), new Map<string, Values>()];
  for (const factory of RESOURCE_FACTORIES) {
    theirs.set(factory.prefix, await factory.create({ api, tenant: a, user: ofA, canary }));
    own.set(
      factory.prefix,
      await factory.create({ api, tenant: b, user: ofB, canary: `own${randomUUID().slice(0, 8)}` }),
    );
  }
  await api.container.db.inPlatform((tx) =>
    tx.execute(
      `insert into image (tenant_id, kind, model_version_id, repository)
       select v.tenant_id, 'model', v.id, m.name from model_version v join model m on m.id = v.model_id where v.tenant_id = any($1::uuid[])`,
      [[a.id, b.id]],
    ),
  );
  const operations = operationsOf(api);
  const named = operations.filter(
    (operation) =>
      operation.access === 'user' &&
      operation.pathParameters.length > 0 &&
      EXEMPT[operation.key] === undefined,
  );
  return {
    api,
    a,
    b,
    ofA,
    ofB,
    askers: { 'a member of B': ofB, 'a member of both': ofBoth, 'a global administrator': api.admin },
    canary,
    theirs,
    own,
    operations,
    named,
  };
}

/** A digest of everything the database holds for one tenant, by table, and a list of what the store holds for it. */
export async function fingerprint(api: TestApi, tenantId: string): Promise<Record<string, string>> {
  const objects = openObjectStore(api.container.settings);
  try {
    return {
      ...(await tablesOf(api, tenantId)),
      'object store': (await storedOf(objects, tenantId)).join('\n'),
    };
  } finally {
    await objects.close();
  }
}

function tablesOf(api: TestApi, tenantId: string): Promise<Record<string, string>> {
  return api.container.db.inPlatform(async (tx) => {
    const digests: Record<string, string> = {};
    for (const name of await tablesOfTenants(api)) {
      if (UNSTEADY.has(name)) continue;
      const [row] = await tx.query<{ digest: string }>(
        `select md5(coalesce(string_agg(r::text, '|' order by r::text), '')) as digest from ${name} r where tenant_id = $1`,
        [tenantId],
      );
      digests[name] = row?.digest ?? '';
    }
    return digests;
  });
}

/** Written to by whoever looks at them: refused calls are audited, and work that is waiting is run. */
const UNSTEADY = new Set(['audit_entry', 'dispatch']);

/** Every table whose rows belong to a tenant and that the platform role can read. */
export async function tablesOfTenants(api: TestApi): Promise<string[]> {
  const rows = await api.container.db.inPlatform((tx) =>
    tx.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_attribute at on at.attrelid = c.oid and at.attname = 'tenant_id' and not at.attisdropped
       where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace and has_table_privilege(c.oid, 'select') order by 1`,
    ),
  );
  return rows.map(({ name }) => name);
}
