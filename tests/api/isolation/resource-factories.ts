import { randomUUID } from 'node:crypto';
import { DATASET_FACTORY } from '../datasets/support/dataset-factory.js';
import type { TestApi, TestTenant, TestUser } from '../support/test-api.js';

/** Where a factory works. Texts that a tenant gives itself begin with `canary`, which no other tenant may ever read. */
export interface FactoryContext {
  readonly api: TestApi;
  readonly tenant: TestTenant;
  /** Holds role ADMIN in the tenant. */
  readonly user: TestUser;
  readonly canary: string;
}

export interface ResourceFactory {
  /** Which paths it is for: the beginning of the path up to its first parameter. */
  readonly prefix: string;
  /** Makes what the path's parameters name. @returns their values by parameter name */
  create(context: FactoryContext): Promise<Readonly<Record<string, string>>>;
  /** Well-formed values of the same kind that name nothing. */
  random(): Readonly<Record<string, string>>;
}

/**
 * One entry for each kind of resource a tenant owns. A new operation with a path parameter needs one here, or a named
 * exemption below; the isolation suite fails until it has.
 */
export const RESOURCE_FACTORIES: readonly ResourceFactory[] = [DATASET_FACTORY];
export const RESOURCE_FACTORIES: readonly ResourceFactory[] = [
  {
    prefix: '/api/v1/datasets/',
    create: createDataset,
    random: () => ({ dataset_id: randomName(), file_id: randomUUID(), upload_id: randomUUID(), index: '0' }),
  },
  {
    prefix: '/api/v1/models/',
    create: createModel,
    random: () => ({ name: randomName(), version: '1' }),
  },
  {
    prefix: '/api/v1/serving/endpoints/',
    create: createEndpoint,
    random: () => ({ name: randomName(), path: 'ping' }),
  },
];

/** Operations with path parameters that name no resource of a tenant, each with the reason. */
export const EXEMPT: Readonly<Record<string, string>> = {};

async function createDataset({ api, tenant, user, canary }: FactoryContext): Promise<Record<string, string>> {
  const as = { token: user.token, tenant: tenant.code };
  const dataset_id = `${canary}-set`;
  const made = await api.call('POST', '/api/v1/datasets', { ...as, json: { id: dataset_id, name: canary } });
  const form = new FormData();
  form.append('file', new Blob([`${canary} label,file\n`]), `${canary}/notes.csv`);
  const file = await fetch(`${api.base}/api/v1/datasets/${dataset_id}/files`, { method: 'POST', headers: { authorization: `Bearer ${user.token}`, 'x-tenant': tenant.code }, body: form });
  const upload = await api.call('POST', `/api/v1/datasets/${dataset_id}/uploads`, { ...as, json: { filename: `${canary}.csv`, size: 10, kind: 'file' } });
  const body = (await file.json()) as { id?: string };
  if (made.status !== 201 || file.status !== 201 || upload.status !== 201) throw new Error(`dataset: ${made.text} ${JSON.stringify(body)} ${upload.text}`);
  return { dataset_id, file_id: String(body.id), upload_id: String(upload.body.upload_id), index: '0' };
}

async function createModel({ api, tenant, canary }: FactoryContext): Promise<Record<string, string>> {
  const name = `${canary}-model`;
  await api.container.db.inPlatform(async (tx) => {
    const [model] = await tx.query<{ id: string }>('insert into model (tenant_id, name, last_version) values ($1, $2, 1) returning id', [tenant.id, name]);
    await tx.execute('insert into model_version (tenant_id, model_id, version, run_id, size_bytes, description) values ($1, $2, 1, $3, 1, $4)', [tenant.id, model?.id, randomUUID().replaceAll('-', ''), canary]);
  });
  return { name, version: '1' };
}

async function createEndpoint({ api, tenant, canary }: FactoryContext): Promise<Record<string, string>> {
  const name = `${canary}-ep`;
  await api.container.db.inPlatform(async (tx) => {
    const [image] = await tx.query<{ id: string }>("insert into image (tenant_id, kind, repository) values ($1, 'import', $2) returning id", [tenant.id, canary]);
    await tx.execute("insert into serving_endpoint (tenant_id, name, image_id, replicas, workload_id, sealed_credential, status_message) values ($1, $2, $3, 1, $4, 'x', $2)", [tenant.id, name, image?.id, `ep-${randomUUID()}`]);
  });
  return { name, path: 'ping' };
}

export const factoryOf = (path: string): ResourceFactory | undefined =>
  RESOURCE_FACTORIES.filter((factory) => path.startsWith(factory.prefix)).sort((a, b) => b.prefix.length - a.prefix.length)[0];

export const randomName = (): string => `n${randomUUID().slice(0, 18)}`;
