import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { KeyRing } from '../../core/security/key-ring.js';
import { SYSTEM_ACTOR } from '../../models/audit/audit.types.js';
import { createDeployment } from '../../models/deployments/create-deployment.commands.js';
import { DeviceEvents } from '../../models/deployments/devices/device-events.js';
import { EdgeDevice } from '../../models/edge/devices/edge-device.entity.js';
import { requestModelImage } from '../../models/images/model-image.commands.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { addComment } from '../../models/registry/comment.commands.js';
import { deleteVersion } from '../../models/registry/delete-model.commands.js';
import { registerModelVersion } from '../../models/registry/register-version.commands.js';
import { createEndpoint } from '../../models/serving/endpoint.commands.js';
import { deleteTrackerExperiment } from '../../models/tracker/removal/delete-runs.commands.js';
import { ensureExperiment, insertRun } from '../../models/tracker/run.commands.js';
import { createClientRun } from '../../models/tracker/runs/client-run.commands.js';
import { runWithModel } from './registry/support/registry-builders.js';
import { tenantDatabase } from '../builders/tenant-database.js';

type Work<T = unknown> = (tx: TenantTransaction) => Promise<T>;
const KEYS = { seal: () => 'sealed' } as unknown as KeyRing;

describe('what refers to a row that is being deleted', () => {
  const ground = tenantDatabase({ appPool: 3, platformPool: 1 });

  const inTenant = <T>(work: Work<T>): Promise<T> => ground.db.inTenant(ground.tenantId, work);
  const register = (modelName: string) =>
    inTenant((tx) => registerModelVersion(tx, SYSTEM_ACTOR, { modelName, run: runWithModel() }));
  const remove =
    (name: string, version: number): Work =>
    (tx) =>
      deleteVersion(tx, SYSTEM_ACTOR, name, version, () => Promise.resolve(new Map()));

  /** Adds in a second transaction, which waits until what the first one deletes is gone. */
  async function addDuring<T>(deletion: Work, add: Work<T>): Promise<T | Error> {
    let added: Promise<T | Error> = Promise.reject(new Error('not begun'));
    added.catch(() => undefined);
    const waiting = `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await inTenant(async (tx) => {
      await deletion(tx);
      added = inTenant(add).catch((error: Error) => error);
      for (let n = 0; n < 200 && (await inTenant((other) => other.query(waiting))).length === 0; n += 1)
        await new Promise((resolve) => setTimeout(resolve, 50));
    });
    return added;
  }

  it('is no deployment that would go back to it', async () => {
    await register('flown');
    await register('flown');
    const wanted = {
      ...{ modelName: 'flown', version: 2, targetDevice: null, targets: null, strategy: 'replace' as const },
      ...{ image: null, previousVersion: 1, groups: [], window: null, rollbackOn: [] },
    };
    await inTenant(async ({ em }) => em.create(EdgeDevice, { tenantId: ground.tenantId, key: 'cam-1' }));
    expect(
      await addDuring(remove('flown', 1), (tx) =>
        createDeployment(tx, SYSTEM_ACTOR, wanted, new DeviceEvents(ground.tenantId)),
      ),
    ).toMatchObject({ code: 'unprocessable_entity', detail: [{ loc: ['body', 'previous_version'] }] });
  });

  it('is no endpoint and no comment of a version', async () => {
    await register('served');
    const image = await inTenant((tx) => requestModelImage(tx, SYSTEM_ACTOR, 'served', 1));
    const ready = "update image set status = 'READY', manifest_digest = $2 where id = $1";
    await ground.db.inPlatform((tx) => tx.execute(ready, [image.id, `sha256:${'0'.repeat(64)}`]));
    const wanted = { name: 'digits', imageId: image.id, replicas: 1, gpu: 0, validationDatasetId: null };
    expect(
      await addDuring(remove('served', 1), (tx) => createEndpoint(tx, SYSTEM_ACTOR, KEYS, wanted)),
    ).toMatchObject({ code: 'unprocessable_entity', detail: [{ loc: ['body', 'image_id'] }] });
    await register('discussed');
    expect(
      await addDuring(remove('discussed', 1), (tx) => addComment(tx, SYSTEM_ACTOR, 'discussed', 1, 'Good.')),
    ).toMatchObject({ code: 'not_found' });
  });

  it('is no run of an experiment, which is made anew by its name', async () => {
    const make = () => inTenant((tx) => ensureExperiment(tx, 'p', 'e', null));
    const deletion =
      (id: number): Work =>
      (tx) =>
        deleteTrackerExperiment(tx, SYSTEM_ACTOR, id);
    const first = await make();
    const plain = { status: 'RUNNING' as const, training: null, createdBy: null, name: 'r' };
    const second = await addDuring(deletion(first), async (tx) => {
      const experiment = await ensureExperiment(tx, 'p', 'e', null);
      await insertRun(tx, { ...plain, experiment, runId: randomUUID().replaceAll('-', '') });
      return experiment;
    });
    expect(second).toBeGreaterThan(first);
    const third = await inTenant((tx) => ensureExperiment(tx, 'p', 'f', null));
    const run = { experimentId: third, name: 'r', startedAt: new Date(), tags: [] };
    expect(await addDuring(deletion(third), (tx) => createClientRun(tx, SYSTEM_ACTOR, run))).toMatchObject({
      code: 'not_found',
    });
  });
});
