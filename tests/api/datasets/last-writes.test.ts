import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { zipReader } from '../../../adapters/yauzl/zip-reader.js';
import { createDatasetUploadActivities } from '../../../activities/datasets/dataset-upload.activities.js';
import { unavailable } from '../../../core/errors/app-error.js';
import type { ObjectStore } from '../../../core/ports/object-store.js';
import { asTenantId } from '../../../core/security/ids.js';
import { SYSTEM_ACTOR } from '../../../models/audit/audit.types.js';
import { lockDataset } from '../../../models/datasets/catalog/dataset-change.commands.js';
import { failUpload } from '../../../models/datasets/uploads/end-upload.commands.js';
import { newObjectKey, openArchiveUpload } from '../../../models/datasets/uploads/dataset-upload.commands.js';
import {
  LAST_JOIN_S,
  LAST_WRITES_S,
  recordOrphanedObjects,
} from '../../../models/objects/orphaned-object.commands.js';
import type { TenantTransaction } from '../../../models/orm/transaction.js';
import { type DatasetKit, zip } from './support/dataset-kit.js';
import { openDatasetKit, type OpenKit } from './support/open-dataset-kit.js';

const KIB_64 = 65_536;
const MIB = 2 ** 20;

/** Nobody sweeps here: no worker runs beside this API. */
describe('objects that the store may still be writing', () => {
  let lab: OpenKit;
  let kit: DatasetKit;
  let dataset: string;
  beforeAll(async () => {
    lab = await openDatasetKit();
    kit = lab.kit;
    dataset = await kit.draft('Last writes');
  });
  afterAll(() => lab?.close());
  afterEach(async () => {
    restore();
    await kit.query('delete from orphaned_object where tenant_id = $1', [kit.tenant.id]);
  });

  let restore = () => {};
  /** One call of the store gets no answer in time; all others are as they are. */
  const silent = (call: 'put' | 'putPart' | 'completeMultipart') => {
    const objects = lab.api.container.objects as ObjectStore;
    Object.defineProperty(objects, call, {
      configurable: true,
      value: () =>
        Promise.reject(unavailable('The object store cannot be reached right now; try again shortly.')),
    });
    restore = () => void Reflect.deleteProperty(objects, call);
  };
  /** In how many seconds what was given up goes. What is recorded for a write goes a day later. */
  const dueIn = async () => {
    const rows = await kit.query<{ s: number }>(
      "select extract(epoch from due_at - now())::float8 as s from orphaned_object where tenant_id = $1 and due_at < now() + interval '1 hour' order by due_at",
      [kit.tenant.id],
    );
    return rows.map(({ s }) => s);
  };
  /** That of one object, whose time began a few seconds ago at most. */
  const expectDue = (due: readonly number[], seconds: number) => {
    expect(due).toHaveLength(1);
    expect(due[0]).toBeLessThanOrEqual(seconds);
    expect(due[0]).toBeGreaterThan(seconds - 20);
  };

  it.each([
    ['put', 1000, LAST_WRITES_S],
    ['putPart', 12 * MIB, LAST_WRITES_S],
    ['completeMultipart', 12 * MIB, LAST_JOIN_S],
  ] as const)(
    'stay a little longer where a form ends without an answer of the store to %s',
    async (call, size, seconds) => {
      silent(call);
      expect((await kit.upload(dataset, `${call}.bin`, randomBytes(size))).status).toBe(503);
      expectDue(await dueIn(), seconds);
    },
  );

  it('go at once where a form is refused after the store had answered', async () => {
    expect((await kit.upload(dataset, '../x.bin', randomBytes(1000))).status).toBe(422);
    expect(Math.max(...(await dueIn()))).toBeLessThanOrEqual(0);
  });

  it('stay a little longer where a small chunk gets no answer of the store', async () => {
    const { body: session } = await kit.open(dataset, {
      filename: 'chunk.bin',
      size: 2 * KIB_64,
      chunk_size: KIB_64,
    });
    silent('put');
    expect((await kit.chunk(dataset, session.upload_id, 0, randomBytes(KIB_64))).status).toBe(503);
    expectDue(await dueIn(), LAST_WRITES_S);
  });

  const inTenant = <T>(work: (tx: TenantTransaction) => Promise<T>): Promise<T> =>
    lab.api.container.db.inTenant(asTenantId(kit.tenant.id), work);
  const assembled = async (filename: string) => {
    const { body: session } = await kit.open(dataset, { filename, size: 2 * KIB_64, chunk_size: KIB_64 });
    for (const index of [0, 1]) await kit.chunk(dataset, session.upload_id, index, randomBytes(KIB_64));
    await kit.query("update dataset_upload set state = 'assembling' where id = $1", [session.upload_id]);
    return session.upload_id as string;
  };
  const archive = async (bytes: Buffer) => {
    const objectKey = newObjectKey(kit.tenant.id, 'dataset');
    await lab.api.container.objects.put(objectKey, bytes, bytes.length);
    return inTenant(async (tx) => {
      await recordOrphanedObjects(tx, [{ key: objectKey }]);
      return openArchiveUpload(tx, SYSTEM_ACTOR, await lockDataset(tx, dataset), {
        path: 'a.zip',
        sizeBytes: bytes.length,
        sha256: '0'.repeat(64),
        objectKey,
      });
    });
  };

  it.each(['internal_error', 'service_unavailable', 'conflict'])(
    'stay until no join can be under way where an assembly fails with %s',
    async (code) => {
      const id = await assembled(`${code}.bin`);
      await inTenant((tx) => failUpload(tx, id, { code, message: 'Failed by the test.' }));
      // Its chunks were acknowledged: nobody writes them any more.
      const due = await dueIn();
      expect(Math.max(...due.slice(0, 2))).toBeLessThanOrEqual(0);
      expectDue(due.slice(2), LAST_JOIN_S);
    },
  );

  it('stay a little longer where a member of an archive gets no answer of the store', async () => {
    const uploadId = await archive(await zip({ 'a.txt': Buffer.from('a'), 'b.txt': Buffer.from('b') }));
    silent('put');
    const { db, objects } = lab.api.container;
    const { unpackUpload } = createDatasetUploadActivities({
      ...{ database: db, objects, archives: zipReader },
      beforeFiles: async () => {},
      onEnded: async () => {},
    });
    const unpacking = new MockActivityEnvironment().run(() =>
      unpackUpload({ tenantId: kit.tenant.id, uploadId }),
    );
    await expect(unpacking).rejects.toMatchObject({ code: 'service_unavailable' });
    const due = await dueIn();
    expectDue(due.slice(0, 1), LAST_WRITES_S);
    expectDue(due.slice(1), LAST_WRITES_S);
  });

  it('go at once where the bytes were read and refused, and where they came as an archive', async () => {
    const id = await assembled('refused.bin');
    await inTenant((tx) =>
      failUpload(tx, id, { code: 'unprocessable_entity', message: 'Failed by the test.' }),
    );
    const unpacked = await archive(await zip({}));
    await inTenant((tx) =>
      failUpload(tx, unpacked, { code: 'internal_error', message: 'Failed by the test.' }),
    );
    const due = await dueIn();
    expect([due.length, Math.max(...due) <= 0]).toEqual([4, true]);
  });
});
