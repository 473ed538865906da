import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createWorkflowEngine,
  type ManagedWorkflowEngine,
} from '../../adapters/temporal/temporal-workflow-engine.js';
import { createStalledWorkTasks, type StalledKind } from '../../activities/system/stalled-work.js';
import type { WorkerDeps } from '../../activities/support/domain-work.js';
import { wireTenants } from '../../activities/tenants/tenants.wiring.js';
import { createLogger } from '../../core/logging/logger.js';
import { asTenantId, type TenantId } from '../../core/security/ids.js';
import { modelImageStart } from '../../models/images/image-work.types.js';
import { failModelImage, requestModelImage } from '../../models/images/model-image.commands.js';
import { Database } from '../../models/orm/in-tenant.js';
import { SYSTEM_ACTOR } from '../../models/audit/audit.types.js';
import { registerModelVersion } from '../../models/registry/register-version.commands.js';
import { listQuietWork } from '../../models/system/stalled-work.platform.js';
import type { ActiveWork, WorkKind } from '../../models/system/stalled-work.sql.js';
import { requestDeletion, retryDeletion } from '../../models/tenants/deletion-requests.platform.js';
import { findDeletion } from '../../models/tenants/deletion.platform.js';
import { newTenant, runWithModel } from '../api/registry/support/registry-builders.js';
import { type TestDatabase, testDatabase, testNamespace } from '../setup/engines.js';

const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });

describe('the net for active rows whose workflow is gone', () => {
  let clone: TestDatabase;
  let db: Database;
  let engine: ManagedWorkflowEngine;
  let tenant: TenantId;

  beforeAll(async () => {
    clone = await testDatabase();
    db = await Database.open({
      appUrl: clone.appUrl,
      platformUrl: clone.platformUrl,
      appPool: 2,
      platformPool: 2,
      applicationName: 'test',
    });
    engine = createWorkflowEngine(await testNamespace());
    tenant = await newTenant(db);
  });
  afterAll(async () => {
    await engine.close();
    await db.close();
    await clone.drop();
  });

  const build = async (): Promise<ActiveWork> =>
    db.inTenant(tenant, async (tx) => {
      const name = `m-${randomUUID().slice(0, 8)}`;
      const version = await registerModelVersion(tx, SYSTEM_ACTOR, { modelName: name, run: runWithModel() });
      const image = await requestModelImage(tx, SYSTEM_ACTOR, version.name, version.version);
      return { tenantId: tenant, id: image.id, attempt: image.attempt };
    });
  const startOf = ({ tenantId, id, attempt }: ActiveWork) =>
    modelImageStart({ tenantId, imageId: id, attempt });
  const statusOf = async ({ id }: ActiveWork) =>
    (
      await db.inPlatform((tx) =>
        tx.query<{ status: string; status_message: string | null }>(
          'select status, status_message from image where id = $1',
          [id],
        ),
      )
    )[0];
  const images: StalledKind = {
    kind: 'model-image',
    workflowId: (work) => startOf(work).workflowId,
    fail: ({ tenantId, id, attempt }, reason) =>
      db.inTenant(asTenantId(tenantId), (tx) => failModelImage(tx, id, attempt, reason)),
  };
  const sweep = async (quietS = 0, kind = images) => {
    const [task] = createStalledWorkTasks({ database: db, engine, logger }, [kind], quietS);
    return task?.run(new AbortController().signal);
  };

  it('leaves work that waits for its start, or runs, and fails what has ended or is unknown', async () => {
    const [waiting, running, ended, unknown] = [await build(), await build(), await build(), await build()];
    for (const work of [running, ended]) await engine.start(startOf(work));
    await engine.client.workflow.getHandle(startOf(ended).workflowId).terminate();
    await db.inPlatform((tx) =>
      tx.execute('delete from dispatch where workflow_id = any($1)', [
        [running, ended, unknown].map((work) => startOf(work).workflowId),
      ]),
    );
    expect(await sweep(900)).toBe(0);
    expect(await sweep()).toBe(2);
    for (const work of [waiting, running]) expect(await statusOf(work)).toMatchObject({ status: 'BUILDING' });
    for (const work of [ended, unknown])
      expect(await statusOf(work)).toEqual({
        status: 'FAILED',
        status_message: 'The work behind it ended without a result; start it again.',
      });
    expect(await sweep()).toBe(0);
  });

  it('fails the others where one cannot be failed, and says so at the end', async () => {
    const works = [await build(), await build(), await build()].sort((a, b) => (a.id < b.id ? -1 : 1));
    await db.inPlatform((tx) => tx.execute('delete from dispatch'));
    const [broken, ...others] = works as [ActiveWork, ...ActiveWork[]];
    const fail: StalledKind['fail'] = (work, reason) =>
      work.id === broken.id ? Promise.reject(new Error('damaged')) : images.fail(work, reason);
    await expect(sweep(0, { ...images, fail })).rejects.toThrow(
      '1 rows whose workflow has ended stay active',
    );
    expect(await statusOf(broken)).toMatchObject({ status: 'BUILDING' });
    for (const work of others) expect(await statusOf(work)).toMatchObject({ status: 'FAILED' });
    expect(await sweep()).toBe(1);
  });

  it('fails the deletion of a tenant, and none of the work that ends with the tenant', async () => {
    const work = await build();
    const [row] = await db.inPlatform((tx) =>
      tx.query<{ id: string; code: string }>('select id, code from tenant where id = $1', [tenant]),
    );
    const { deletion } = await requestDeletion(db, SYSTEM_ACTOR, tenant, row?.code ?? '');
    const deletions = wireTenants({
      database: db,
      settings: { SERVICE_SECRET_KEYS: null },
      events: { publish: () => undefined },
    } as unknown as WorkerDeps).stalled?.[0] as StalledKind;
    expect(await sweep(0, deletions)).toBe(0);
    await db.inPlatform((tx) => tx.execute('delete from dispatch'));
    expect(await sweep(0, deletions)).toBe(1);
    expect(await db.inPlatform((tx) => findDeletion(tx, deletion.deletionId))).toMatchObject({
      status: 'failed',
      statusMessage: 'The work behind it ended without a result; start it again.',
    });
    expect(await sweep()).toBe(0);
    expect(await statusOf(work)).toMatchObject({ status: 'BUILDING' });
    expect(await retryDeletion(db, SYSTEM_ACTOR, deletion.deletionId)).toMatchObject({
      deletion: { status: 'running', attempt: 2 },
    });
  });

  it.each(['training', 'dataset-validation', 'dataset-upload', 'model-image'] satisfies WorkKind[])(
    'pages through active rows of %s',
    async (kind) => {
      expect(await listQuietWork(db, kind, 86_400, randomUUID(), 10)).toEqual([]);
    },
  );
});
