import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createWorkflowEngine,
  type ManagedWorkflowEngine,
} from '../../adapters/temporal/temporal-workflow-engine.js';
import { createStalledWorkTasks } from '../../activities/system/stalled-work.js';
import { createLogger } from '../../core/logging/logger.js';
import { asTenantId, type TenantId } from '../../core/security/ids.js';
import { modelImageStart } from '../../models/images/image-work.types.js';
import { failModelImage, requestModelImage } from '../../models/images/model-image.commands.js';
import { Database } from '../../models/orm/in-tenant.js';
import { SYSTEM_ACTOR } from '../../models/audit/audit.types.js';
import { registerModelVersion } from '../../models/registry/register-version.commands.js';
import { listQuietWork } from '../../models/system/stalled-work.platform.js';
import type { ActiveWork, WorkKind } from '../../models/system/stalled-work.sql.js';
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
  const sweep = (quietS = 0) =>
    (
      createStalledWorkTasks(
        { database: db, engine, logger },
        [
          {
            kind: 'model-image',
            workflowId: (work) => startOf(work).workflowId,
            fail: ({ tenantId, id, attempt }, reason) =>
              db.inTenant(asTenantId(tenantId), (tx) => failModelImage(tx, id, attempt, reason)),
          },
        ],
        quietS,
      )[0] as { run(signal: AbortSignal): Promise<number> }
    ).run(new AbortController().signal);

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

  it.each(['training', 'dataset-validation', 'dataset-upload', 'model-image'] satisfies WorkKind[])(
    'pages through active rows of %s',
    async (kind) => {
      expect(await listQuietWork(db, kind, 86_400, randomUUID(), 10)).toEqual([]);
    },
  );
});
