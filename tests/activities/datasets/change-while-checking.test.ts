import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createTableReader } from '../../../adapters/hyparquet/table-reader.js';
import type { ManagedObjectStore } from '../../../adapters/minio/minio-object-store.js';
import { openObjectStore } from '../../../adapters/minio/open-object-store.js';
import { createImageDecoder } from '../../../adapters/sharp/sharp-image-decoder.js';
import { createDatasetValidationActivities } from '../../../activities/datasets/dataset-validation.activities.js';
import { systemClock } from '../../../core/ports/clock.js';
import { asTenantId, type TenantId } from '../../../core/security/ids.js';
import {
  type Freeze,
  freezeDataset,
} from '../../../models/datasets/validation/dataset-validation.commands.js';
import { recordOrphanedObjects } from '../../../models/objects/orphaned-object.commands.js';
import { startTestApi, type TestApi } from '../../api/support/test-api.js';

describe('files that change while a validation reads them', () => {
  let api: TestApi;
  let objects: ManagedObjectStore;
  let tenantId: TenantId;
  beforeAll(async () => {
    api = await startTestApi();
    objects = openObjectStore(api.container.settings);
    tenantId = asTenantId((await api.addTenant()).id);
  });
  afterAll(async () => {
    await objects?.close();
    await api?.close();
  });

  const inTenant: TestApi['container']['db']['inTenant'] = (...args) => api.container.db.inTenant(...args);

  async function dataset(revision: number) {
    const datasetId = randomUUID();
    await inTenant(tenantId, (tx) =>
      tx.execute(
        `insert into dataset (id, tenant_id, key, name, revision, file_count, status, validation_active, validation_attempt)
         values ($1, $2, $3, 'Changing', $4, 1, 'VALIDATING', true, 1)`,
        [datasetId, tenantId, `changing-${datasetId}`, revision],
      ),
    );
    return { tenantId, datasetId, attempt: 1 };
  }

  it('are written without waiting for whoever holds the dataset, who may then delete them', async () => {
    const input = await dataset(1);
    const bytes = Buffer.from('a,b\n1,2\n');
    const key = `t/${tenantId}/dataset/${randomUUID()}`;
    await objects.put(key, bytes, bytes.length);
    await inTenant(tenantId, (tx) =>
      tx.execute(
        `insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, status, added_revision)
         values ($1, $2, 'a.csv', $3, $4, $5, 'text/csv', 'tabular', 'pending', 1)`,
        [tenantId, input.datasetId, createHash('sha256').update(bytes).digest('hex'), bytes.length, key],
      ),
    );
    const activities = createDatasetValidationActivities({
      ...{ database: api.container.db, objects, clock: systemClock, quietMs: 0 },
      ...{ images: createImageDecoder(), tables: createTableReader() },
    });
    const statusOf = () =>
      inTenant(tenantId, (tx) =>
        tx.query('select status from dataset_file where dataset_id = $1', [input.datasetId]),
      );
    let checking: Promise<unknown> = Promise.resolve();
    const removed = await inTenant(tenantId, async (tx) => {
      await tx.query('select 1 from dataset where id = $1 for no key update', [input.datasetId]);
      checking = new MockActivityEnvironment().run(activities.checkDatasetFiles, input, {
        revision: 1,
        limit: 10,
      });
      for (let left = 100; left > 0 && (await statusOf())[0]?.status === 'pending'; left -= 1)
        await tx.query('select pg_sleep(0.1)');
      return tx.execute('delete from dataset_file where dataset_id = $1 and status = $2', [
        input.datasetId,
        'valid',
      ]);
    });
    expect(removed).toBe(1);
    expect(await checking).toBe('more');
  });

  it('make the manifest that was written for them go at once', async () => {
    const input = await dataset(2);
    const manifestKey = `t/${tenantId}/dataset-manifest/${randomUUID()}`;
    await inTenant(tenantId, (tx) => recordOrphanedObjects(tx, [{ key: manifestKey }]));
    expect(await inTenant(tenantId, (tx) => freezeDataset(tx, input, 1, { manifestKey } as Freeze))).toBe(
      false,
    );
    expect(
      await inTenant(tenantId, (tx) =>
        tx.query('select due_at <= now() as is_due from orphaned_object where object_key = $1', [
          manifestKey,
        ]),
      ),
    ).toEqual([{ is_due: true }]);
  });
});
