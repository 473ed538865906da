import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SYSTEM_ACTOR } from '../../../models/audit/audit.types.js';
import type { Descriptor, ImageRow } from '../../../models/images/image.types.js';
import { recordBlob } from '../../../models/images/image-blob.commands.js';
import {
  failModelImage,
  finishModelImage,
  requestModelImage,
  signalWhenBuilt,
} from '../../../models/images/model-image.commands.js';
import { modelManifest } from '../../../models/images/model-manifest.js';
import { removeImagesOfVersions } from '../../../models/images/remove-images.commands.js';
import { registerModelVersion } from '../../../models/registry/register-version.commands.js';
import { runWithModel } from '../../api/registry/support/registry-builders.js';
import { tenantDatabase } from '../../builders/tenant-database.js';

const layer: Descriptor = { mediaType: 'layer', digest: `sha256:${'1'.repeat(64)}`, size: 1 };

describe('a workflow that waits for the build of an image', () => {
  const ground = tenantDatabase({ appPool: 2, platformPool: 2 });

  /** An image that is being built, and for whose end a workflow waits. */
  const awaited = async (): Promise<{ image: ImageRow; workflowId: string }> => {
    const workflowId = `test:${randomUUID()}`;
    const image = await ground.db.inTenant(ground.tenantId, async (tx) => {
      const modelName = `m-${randomUUID().slice(0, 8)}`;
      const { name, version } = await registerModelVersion(tx, SYSTEM_ACTOR, {
        modelName,
        run: runWithModel(),
      });
      const asked = await requestModelImage(tx, SYSTEM_ACTOR, name, version);
      await signalWhenBuilt(tx, asked.id, { workflowId, signal: 'image' });
      return asked;
    });
    return { image, workflowId };
  };
  const signalsOf = (workflowId: string) =>
    ground.db.inPlatform((tx) =>
      tx.query('select kind, payload from dispatch where workflow_id = $1 order by id', [workflowId]),
    );
  const signal = { kind: 'signal', payload: { signal: 'image', args: [] } };

  const finish = ({ id, attempt, modelName, modelVersion }: ImageRow) =>
    ground.db.inTenant(ground.tenantId, async (tx) => {
      const manifest = modelManifest({
        modelName: modelName ?? '',
        version: modelVersion ?? 0,
        runId: 'r',
        datasetDigest: null,
        runtime: 'sklearn',
        runtimeDigest: `sha256:${'2'.repeat(64)}`,
        layer,
        diffId: layer.digest,
      });
      for (const blob of [layer, manifest.configDescriptor]) await recordBlob(tx, blob);
      await finishModelImage(tx, id, attempt, { manifest, layer, runtime: 'sklearn', runtimeDigest: '' });
    });

  it('is signalled once when the image is READY', async () => {
    const { image, workflowId } = await awaited();
    expect(await signalsOf(workflowId)).toEqual([]);
    await finish(image);
    await finish(image);
    expect(await signalsOf(workflowId)).toEqual([signal]);
  });

  it('is signalled once when the build failed, and not again by who builds it anew', async () => {
    const { image, workflowId } = await awaited();
    await ground.db.inTenant(ground.tenantId, (tx) =>
      failModelImage(tx, image.id, image.attempt, 'no runtime'),
    );
    expect(await signalsOf(workflowId)).toEqual([signal]);
    await ground.db.inTenant(ground.tenantId, (tx) =>
      requestModelImage(tx, SYSTEM_ACTOR, image.modelName ?? '', image.modelVersion ?? 0),
    );
    await finish({ ...image, attempt: image.attempt + 1 });
    expect(await signalsOf(workflowId)).toEqual([signal]);
  });

  it('is signalled when the image is removed', async () => {
    const { image, workflowId } = await awaited();
    await ground.db.inTenant(ground.tenantId, (tx) =>
      removeImagesOfVersions(tx, [image.modelVersionId ?? '']),
    );
    expect(await signalsOf(workflowId)).toEqual([signal]);
  });
});
