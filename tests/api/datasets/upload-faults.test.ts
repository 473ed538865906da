import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { SYSTEM_ACTOR } from '../../../models/audit/audit.types.js';
import { lockDataset } from '../../../models/datasets/dataset-change.commands.js';
import { addUploadedFiles, type NewFile } from '../../../models/datasets/dataset-file.commands.js';
import { newObjectKey } from '../../../models/datasets/dataset-upload.commands.js';
import { noteLooseObjects } from '../../../models/objects/loose-object.repository.js';
import { isCommitInDoubt } from '../../../models/orm/database-errors.js';
import type { TenantTransaction } from '../../../models/orm/transaction.js';
import { startTestApi, type TestApi } from '../support/test-api.js';
import { startTestWorker } from '../support/test-worker.js';
import { DatasetKit } from './support/dataset-kit.js';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('uploads when something breaks between two steps', () => {
  let api: TestApi;
  let worker: Awaited<ReturnType<typeof startTestWorker>>;
  let kit: DatasetKit;
  beforeAll(async () => {
    api = await startTestApi();
    worker = await startTestWorker(api.container.settings);
    kit = new DatasetKit(api, await api.addTenant());
  });
  afterAll(async () => {
    await worker?.close();
    await api?.close();
  });

  const inTenant = <T>(work: (tx: TenantTransaction) => Promise<T>): Promise<T> => api.container.db.inTenant(asTenantId(kit.tenant.id), work);
  /** Waits until the worker's sweeper has removed all that is due. */
  const swept = async () => {
    for (let left = 200; left > 0; left -= 1) {
      const due = await kit.query("select 1 from loose_object where tenant_id = $1 and (due_at < now() + interval '10 minutes') limit 1", [kit.tenant.id]);
      if (due.length === 0) return;
      await kit.query('select pg_sleep(0.1)');
    }
    throw new Error('the sweeper did not come round');
  };

  it('answers a round that comes again as it did before, and keeps its objects', async () => {
    const dataset = await kit.draft('Twice');
    const files: NewFile[] = [];
    for (const path of ['a/1.txt', 'a/2.txt']) {
      const bytes = randomBytes(100);
      const objectKey = newObjectKey(asTenantId(kit.tenant.id), 'dataset');
      await inTenant((tx) => noteLooseObjects(tx, [{ key: objectKey }]));
      await api.container.objects.put(objectKey, bytes, bytes.length);
      files.push({ path, sha256: sha256(bytes), sizeBytes: bytes.length, objectKey, mediaType: 'text/plain', kind: 'other' });
    }
    const round = () => inTenant(async (tx) => addUploadedFiles(tx, SYSTEM_ACTOR, await lockDataset(tx, dataset), files));
    const first = await round();
    expect(await round()).toEqual(first);
    await swept();
    expect(await kit.objectKeys()).toEqual(expect.arrayContaining(files.map(({ objectKey }) => objectKey)));
    expect((await kit.call('GET', `/${dataset}`)).body).toMatchObject({ file_count: 2 });
    const [added] = await kit.query("select count(*)::int as n from audit_entry where target_id = $1 and action = 'dataset.file_add'", [dataset]);
    expect(added).toEqual({ n: 2 });
  });

  it('says that a commit without an answer is in doubt, and no other failure', async () => {
    const failure = (work: (tx: TenantTransaction) => Promise<unknown>) =>
      inTenant(work).then(
        () => null,
        (error: unknown) => error,
      );
    const cutOff = await failure(async (tx) => {
      const [backend] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      await inTenant((other) => other.query('select pg_terminate_backend($1)', [backend?.pid]));
    });
    expect(cutOff).toMatchObject({ code: 'service_unavailable' });
    expect(isCommitInDoubt(cutOff)).toBe(true);
    expect(isCommitInDoubt(await failure((tx) => tx.execute('select pg_terminate_backend(pg_backend_pid())')))).toBe(false);
    expect(isCommitInDoubt(await failure((tx) => tx.execute('select 1/0')))).toBe(false);
  });
});
