import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { SYSTEM_ACTOR } from '../../models/audit/audit.types.js';
import { requestModelImage } from '../../models/images/model-image.commands.js';
import { Image } from '../../models/images/image.entity.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { describeModel, renameModel } from '../../models/registry/labels/describe-model.commands.js';
import { ModelTag } from '../../models/registry/labels/model-tag.entity.js';
import { ModelVersionTag } from '../../models/registry/labels/model-version-tag.entity.js';
import { registerModelVersion } from '../../models/registry/register-version.commands.js';
import { scaleEndpoint } from '../../models/serving/endpoint.commands.js';
import { ServingEndpoint } from '../../models/serving/serving.entity.js';
import { appendLog } from '../../models/workloads/logs/log.sql.js';
import { recordLogOrigin } from '../../models/workloads/workload-log.sql.js';
import { scaleWorkload } from '../../models/workloads/workload.commands.js';
import { Workload } from '../../models/workloads/workload.entity.js';
import { runWithModel } from './registry/support/registry-builders.js';
import { tenantDatabase } from '../builders/tenant-database.js';

const NAME = 'parent';
type Work = (tx: TenantTransaction) => Promise<unknown>;

describe('a row that is being changed', () => {
  const ground = tenantDatabase({ appPool: 3, platformPool: 1 });
  let version: { readonly id: string; readonly modelId: string };
  let imageId: string;
  const workloadId = randomUUID();

  beforeAll(async () => {
    const run = runWithModel();
    version = await ground.db.inTenant(ground.tenantId, (tx) =>
      registerModelVersion(tx, SYSTEM_ACTOR, { modelName: NAME, run }),
    );
    imageId = (
      await ground.db.inTenant(ground.tenantId, (tx) => requestModelImage(tx, SYSTEM_ACTOR, NAME, 1))
    ).id;
    await ground.db.inTenant(ground.tenantId, async ({ em }) => {
      em.create(Workload, {
        ...{
          id: workloadId,
          tenantId: ground.tenantId,
          name: NAME,
          kind: 'serving',
          host: 'h',
          status: 'running',
        },
        spec: {
          ...{ kind: 'service', runtime: 'sklearn', entrypoint: 'serve.py', args: [], labels: {} },
          ...{ origin: 'platform', files: [], downloads: [], limits: { memoryBytes: 0, timeoutS: null } },
        },
      });
    });
  });

  /** Adds in a second transaction, which waits for locks for two seconds at most, while the first holds the row. */
  const addWhile = (hold: Work, add: Work): Promise<void> =>
    ground.db.inTenant(ground.tenantId, async (tx) => {
      await hold(tx);
      await tx.em.flush();
      await ground.db.inTenant(ground.tenantId, async (other) => {
        await other.query("select set_config('lock_timeout', '2s', true)");
        await add(other);
        await other.em.flush();
      });
    });

  const register: Work = (tx) =>
    registerModelVersion(tx, SYSTEM_ACTOR, { modelName: NAME, run: runWithModel() });
  const tagModel =
    (key: string): Work =>
    async ({ em }) =>
      em.create(ModelTag, { modelId: version.modelId, key, value: 'x', tenantId: ground.tenantId });

  it('takes rows that refer to it: a model while a version is registered', () =>
    addWhile(register, tagModel('a')));

  it('a model while it is described', () =>
    addWhile((tx) => describeModel(tx, SYSTEM_ACTOR, NAME, 'new'), tagModel('b')));

  it('a version while its image is asked for', () =>
    addWhile(
      (tx) => requestModelImage(tx, SYSTEM_ACTOR, NAME, 1),
      async ({ em }) =>
        em.create(ModelVersionTag, {
          versionId: version.id,
          key: 'a',
          value: 'x',
          tenantId: ground.tenantId,
        }),
    ));

  it('an image while it changes', () =>
    addWhile(
      async (tx) => {
        await requestModelImage(tx, SYSTEM_ACTOR, NAME, 1);
        (await tx.em.findOneOrFail(Image, { id: imageId })).statusMessage = 'Half built.';
      },
      async ({ em }) =>
        em.create(ServingEndpoint, {
          ...{ tenantId: ground.tenantId, name: NAME, imageId, replicas: 1, gpu: 0, workloadId: NAME },
          sealedCredential: 'x',
          statusMessage: 'Waiting.',
        }),
    ));

  it('an endpoint while it is scaled', async () => {
    const { id: ownerId } = await ground.db.inTenant(ground.tenantId, ({ em }) =>
      em.findOneOrFail(ServingEndpoint, { name: NAME }),
    );
    const ref = { tenantId: ground.tenantId, owner: 'endpoint', ownerId, part: 0 } as const;
    await addWhile(
      (tx) => scaleEndpoint(tx, SYSTEM_ACTOR, NAME, 2),
      (tx) => appendLog(tx, ref, { stored: 0, source: 0, open: null }, 'line\n', 5),
    );
  });

  it('a workload while it is scaled', () =>
    addWhile(
      (tx) => scaleWorkload(tx, NAME, 2, { workflowId: 'w', signal: 's' }),
      (tx) => recordLogOrigin(tx, workloadId, 0, 'h/1'),
    ));

  it('takes none while a part of its key changes', async () => {
    const rename: Work = (tx) =>
      renameModel(tx, SYSTEM_ACTOR, 'named', 'renamed', () => Promise.resolve(new Map()));
    const { modelId } = await ground.db.inTenant(ground.tenantId, (tx) =>
      registerModelVersion(tx, SYSTEM_ACTOR, { modelName: 'named', run: runWithModel() }),
    );
    const tag: Work = async ({ em }) =>
      em.create(ModelTag, { modelId, key: 'c', value: 'x', tenantId: ground.tenantId });
    await expect(addWhile(rename, tag)).rejects.toThrow(/lock timeout/);
  });
});
