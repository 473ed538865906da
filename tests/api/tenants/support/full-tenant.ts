import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import type { ManagedObjectStore } from '../../../../adapters/minio/minio-object-store.js';
import { createFileMailer } from '../../../../adapters/smtp/file-mailer.js';
import { mailDirectory } from '../../../../adapters/smtp/open-mailer.js';
import { blobKey } from '../../../../models/images/image.types.js';
import { dispatch } from '../../../../models/outbox/dispatch.js';
import { sealMail } from '../../../../models/outbox/sealed-mail.js';
import { listTenantTables } from '../../../../models/tenants/erasure-tables.sql.js';
import { DATASET_FACTORY } from '../../datasets/support/dataset-factory.js';
import { MODEL_FACTORY } from '../../registry/support/model-factory.js';
import { ENDPOINT_FACTORY } from '../../serving/endpoint-factory.js';
import type { TestApi, TestTenant } from '../../support/test-api.js';
import { EXPERIMENT_FACTORY } from '../../training/support/training-factories.js';

export const UNFINISHED_BYTES = 1000;
export const OWN_BLOB_BYTES = 500;

/** A tenant with something of every kind, in rows, objects, unfinished uploads, image blobs and workflow histories. */
export async function fullTenant(
  api: TestApi,
  objects: ManagedObjectStore,
  shared: Buffer,
  code?: string,
): Promise<TestTenant> {
  const tenant = await api.addTenant(code);
  const user = await api.addUser({ [tenant.code]: 'ADMIN' });
  const canary = `c${randomUUID().slice(0, 8)}`;
  for (const factory of [DATASET_FACTORY, MODEL_FACTORY, ENDPOINT_FACTORY, EXPERIMENT_FACTORY])
    await factory.create({ api, tenant, user, canary });
  await addUnfinished(objects, tenant);
  await addMails(api, tenant);
  await addBlob(api, objects, tenant, shared);
  await addBlob(api, objects, tenant, randomBytes(OWN_BLOB_BYTES));
  return tenant;
}

/** An upload whose parts nobody joined. */
async function addUnfinished(objects: ManagedObjectStore, tenant: TestTenant): Promise<void> {
  const key = `t/${tenant.id}/dataset/${randomUUID()}`;
  const uploadId = await objects.createMultipart(key);
  await objects.putPart(key, uploadId, 1, Buffer.alloc(UNFINISHED_BYTES), UNFINISHED_BYTES);
}

/** What is needed of an API to put something beside it. */
export type Places = { readonly container: Pick<TestApi['container'], 'settings' | 'db' | 'logger'> };

/** A mail about the tenant in the mail directory, and one that waits. */
export async function addMails(api: Places, tenant: Pick<TestTenant, 'id' | 'code'>): Promise<void> {
  const { settings, db, logger } = api.container;
  const mail = {
    to: `m-${randomUUID()}@example.com`,
    subject: tenant.code,
    text: tenant.code,
    kind: 'notifications',
    token: null,
    tenantIds: [tenant.id],
  };
  await createFileMailer(mailDirectory(settings), logger).send(mail, `test:${randomUUID()}`);
  await db.inPlatform(async (tx) => {
    await dispatch(tx, {
      kind: 'mail',
      tenantId: null,
      mail: sealMail(settings.SERVICE_SECRET_KEYS, mail, null),
    });
    // Its mail server is away.
    await tx.execute(
      "update dispatch set next_attempt_at = 'infinity' where kind = 'mail' and payload->'tenantIds' ? $1",
      [tenant.id],
    );
  });
}

/** A blob of the registry with a manifest that names it. */
export async function addBlob(
  api: Places,
  objects: Pick<ManagedObjectStore, 'put'>,
  tenant: Pick<TestTenant, 'id' | 'code'>,
  bytes: Buffer,
): Promise<string> {
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  await objects.put(blobKey(digest), bytes, bytes.length);
  await api.container.db.inPlatform(async (tx) => {
    await tx.execute('insert into image_blob (tenant_id, digest, size_bytes) values ($1, $2, $3)', [
      tenant.id,
      digest,
      bytes.length,
    ]);
    const [manifest] = await tx.query<{ id: string }>(
      "insert into image_manifest (tenant_id, repository, digest, media_type, body) values ($1, $2, $3, 'application/json', '{}') returning id",
      [tenant.id, `${tenant.code}/m`, digest],
    );
    await tx.execute('insert into image_manifest_blob (tenant_id, manifest_id, digest) values ($1, $2, $3)', [
      tenant.id,
      manifest?.id,
      digest,
    ]);
    await tx.execute('insert into image_tag (tenant_id, repository, tag, digest) values ($1, $2, $3, $4)', [
      tenant.id,
      `${tenant.code}/m`,
      digest.slice(7, 20),
      digest,
    ]);
  });
  return digest;
}

/** Waits until no workflow of the tenant runs and nothing of it waits for dispatch. */
export async function untilAtRest(api: TestApi, tenant: TestTenant): Promise<void> {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = api.container.settings;
  const connection = await Connection.connect({ address });
  try {
    const client = new Client({ connection, namespace });
    for (let [left, quiet] = [240, 0]; left > 0 && quiet < 4; left -= 1) {
      const waiting = await api.container.db.inPlatform((tx) =>
        tx.query("select 1 from dispatch where tenant_id = $1 and kind <> 'mail'", [tenant.id]),
      );
      const { count } = await client.workflow.count(
        `TenantId = "${tenant.id}" and ExecutionStatus = "Running"`,
      );
      quiet = waiting.length === 0 && count === 0 ? quiet + 1 : 0;
      await new Promise((resolve) => setTimeout(resolve, 500));
      if (left === 1)
        throw new Error(`${await names(client, tenant.id)} run on; ${waiting.length} entries wait`);
    }
  } finally {
    await connection.close();
  }
}

async function names(client: Client, tenantId: string): Promise<string> {
  const found: string[] = [];
  const running = client.workflow.list({ query: `TenantId = "${tenantId}" and ExecutionStatus = "Running"` });
  for await (const { workflowId } of running) found.push(workflowId);
  return found.join(', ');
}

/** A digest of everything that a tenant has in the database and in the store; tables without rows left out. */
export async function fingerprint(
  api: TestApi,
  objects: ManagedObjectStore,
  tenantId: string,
): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  await api.container.db.inPlatform(async (tx) => {
    for (const { name } of await listTenantTables(tx)) {
      const [row] = await tx.query<{ n: number; digest: string }>(
        `select count(*) as n, md5(coalesce(string_agg(r::text, '|' order by r::text), '')) as digest from ${name} r where tenant_id = $1`,
        [tenantId],
      );
      if (row && row.n > 0) digests[name] = row.digest;
    }
  });
  const stored = await storedOf(objects, tenantId);
  if (stored.length > 0) digests['object store'] = createHash('md5').update(stored.join('|')).digest('hex');
  return digests;
}

/** One line for each object and each unfinished upload of a tenant. */
export async function storedOf(objects: ManagedObjectStore, tenantId: string): Promise<string[]> {
  const stored: string[] = [];
  for await (const { key, etag, sizeBytes } of objects.list(`t/${tenantId}/`))
    stored.push(`${key} ${etag} ${sizeBytes}`);
  for await (const { key } of objects.listUnfinished(`t/${tenantId}/`)) stored.push(`unfinished ${key}`);
  return stored;
}

export async function untilDeletion(
  api: TestApi,
  id: string,
  statuses: readonly string[],
  timeoutMs = 90_000,
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the server sent; the test says what it expects
): Promise<any> {
  for (const end = Date.now() + timeoutMs; ; await new Promise((resolve) => setTimeout(resolve, 250))) {
    const { body } = await api.call('GET', `/api/v1/settings/tenants/deletions/${id}`, {
      token: api.admin.token,
    });
    if (statuses.includes(body.status)) return body;
    if (Date.now() > end) throw new Error(`the deletion is ${body.status}: ${JSON.stringify(body.log)}`);
  }
}
