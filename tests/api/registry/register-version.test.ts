import { describe, expect, it } from '@jest/globals';
import { SYSTEM_ACTOR } from '../../../models/audit/audit.types.js';
import { registerModelVersion } from '../../../models/registry/register-version.commands.js';
import { UNREFERENCED_KEYS } from '../../../models/registry/model-version-file.sql.js';
import { listVersionFiles, listVersionsOfRuns } from '../../../models/registry/version.queries.js';
import { newTenant, runWithModel } from './support/registry-builders.js';
import { tenantDatabase } from '../../builders/tenant-database.js';

describe('registering a model version', () => {
  const ground = tenantDatabase({ appPool: 6, platformPool: 2 });

  const register = (modelName: string, over: Partial<Parameters<typeof registerModelVersion>[2]> = {}) =>
    ground.db.inTenant(ground.tenantId, (tx) =>
      registerModelVersion(tx, SYSTEM_ACTOR, { modelName, run: runWithModel(), ...over }),
    );

  it('numbers versions from 1 without gaps, also when ten come at once', async () => {
    const versions = await Promise.all(Array.from({ length: 10 }, () => register('crowd')));
    expect(versions.map((version) => version.version).sort((a, b) => a - b)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
  });

  it('answers the first version to a repeat with the same key, also when both come at once', async () => {
    const run = runWithModel();
    const versions = await Promise.all([1, 2, 3].map(() => register('repeat', { run, key: 'training:1:1' })));
    expect(new Set(versions.map((version) => version.id)).size).toBe(1);
    expect((await register('repeat')).version).toBe(2);
  });

  it('keeps lineage and the list of files below the model folder', async () => {
    const run = runWithModel({ datasetKey: 'digits', datasetDigest: 'd'.repeat(64) });
    const version = await register('lineage', { run, description: 'first' });
    expect(version).toMatchObject({
      stage: 'None',
      runId: run.runId,
      datasetKey: 'digits',
      datasetDigest: 'd'.repeat(64),
      metrics: { accuracy: 0.97 },
      sizeBytes: 30,
      description: 'first',
    });
    await ground.db.inTenant(ground.tenantId, async (tx) => {
      expect((await listVersionFiles(tx, version.id)).map((file) => file.path)).toEqual([
        'MLmodel',
        'model.skops',
      ]);
      expect(await listVersionsOfRuns(tx, [run.runId])).toEqual([
        { runId: run.runId, name: 'lineage', version: 1, stage: 'None' },
      ]);
      const keys = run.modelFiles.map((file) => file.objectKey);
      expect(await tx.rows(UNREFERENCED_KEYS, [ground.tenantId, [...keys, 'other']])).toEqual([
        { key: 'other' },
      ]);
    });
  });

  it('refuses a run without model files and a name that cannot stand in a path', async () => {
    await expect(register('empty', { run: runWithModel({ modelFiles: [] }) })).rejects.toMatchObject({
      code: 'unprocessable_entity',
    });
    for (const name of ['', 'a/b', 'a:b', '50%', 'summary', '..', ' x', 'a\u0000b', 'x'.repeat(129)])
      await expect(register(name)).rejects.toMatchObject({ code: 'unprocessable_entity' });
  });

  it('shows a tenant nothing of another', async () => {
    const version = await register('mine');
    const other = await newTenant(ground.db);
    await ground.db.inTenant(other, async (tx) => {
      expect(await listVersionFiles(tx, version.id)).toEqual([]);
      expect(await listVersionsOfRuns(tx, [version.runId])).toEqual([]);
    });
    expect(
      (
        await ground.db.inTenant(other, (tx) =>
          registerModelVersion(tx, SYSTEM_ACTOR, { modelName: 'mine', run: runWithModel() }),
        )
      ).version,
    ).toBe(1);
  });
});
