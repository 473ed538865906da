import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWorkflowEngine } from '../../../adapters/temporal/temporal-workflow-engine.js';
import { asTenantId } from '../../../core/security/ids.js';
import { SYSTEM_ACTOR } from '../../../models/audit/audit.types.js';
import { deleteDataset } from '../../../models/datasets/catalog/delete-dataset.commands.js';
import { lockDataset } from '../../../models/datasets/catalog/dataset-change.commands.js';
import { addUploadedFile } from '../../../models/datasets/files/dataset-file.commands.js';
import type { NewFile } from '../../../models/datasets/files/new-file.types.js';
import { failUpload, finishUpload } from '../../../models/datasets/uploads/end-upload.commands.js';
import { newObjectKey } from '../../../models/datasets/uploads/dataset-upload.commands.js';
import { beginPass, reopenSome } from '../../../models/datasets/validation/dataset-validation.commands.js';
import { countPending } from '../../../models/datasets/validation/dataset-validation.queries.js';
import { uploadWorkflowId } from '../../../models/datasets/catalog/dataset-work.types.js';
import { expireIdleSessions } from '../../../models/datasets/uploads/upload-removal.sql.js';
import { recordOrphanedObjects } from '../../../models/objects/orphaned-object.commands.js';
import { isCommitInDoubt } from '../../../models/orm/errors.js';
import type { TenantTransaction } from '../../../models/orm/transaction.js';
import { startApiBeside } from '../support/test-api.js';
import { manyMembers } from '../../builders/crafted-zip.js';
import { DatasetKit } from './support/dataset-kit.js';
import { openWorkingKit, type WorkingKit } from './support/open-dataset-kit.js';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('uploads when something breaks between two steps', () => {
  let lab: WorkingKit;
  let api: WorkingKit['api'];
  let kit: DatasetKit;
  beforeAll(async () => {
    lab = await openWorkingKit();
    ({ api, kit } = lab);
  });
  afterAll(() => lab?.close());

  const inTenant = <T>(work: (tx: TenantTransaction) => Promise<T>): Promise<T> =>
    api.container.db.inTenant(asTenantId(kit.tenant.id), work);
  /** Waits until the worker's sweeper has removed all that is due. */
  const swept = async () => {
    for (let left = 200; left > 0; left -= 1) {
      const due = await kit.query(
        "select 1 from orphaned_object where tenant_id = $1 and (due_at < now() + interval '10 minutes') limit 1",
        [kit.tenant.id],
      );
      if (due.length === 0) return;
      await kit.query('select pg_sleep(0.1)');
    }
    throw new Error('the sweeper did not come round');
  };

  it('answers files that come again as it did before, and keeps their objects', async () => {
    const dataset = await kit.draft('Twice');
    const files: NewFile[] = [];
    for (const path of ['a/1.txt', 'a/2.txt']) {
      const bytes = randomBytes(100);
      const objectKey = newObjectKey(asTenantId(kit.tenant.id), 'dataset');
      await inTenant((tx) => recordOrphanedObjects(tx, [{ key: objectKey }]));
      await api.container.objects.put(objectKey, bytes, bytes.length);
      files.push({
        path,
        sha256: sha256(bytes),
        sizeBytes: bytes.length,
        objectKey,
        mediaType: 'text/plain',
        kind: 'other',
      });
    }
    const all = async () => {
      const ids: string[] = [];
      for (const file of files)
        ids.push(
          await inTenant(async (tx) =>
            addUploadedFile(tx, SYSTEM_ACTOR, await lockDataset(tx, dataset), file),
          ),
        );
      return ids;
    };
    const first = await all();
    expect(await all()).toEqual(first);
    await swept();
    expect(await kit.objectKeys()).toEqual(expect.arrayContaining(files.map(({ objectKey }) => objectKey)));
    expect((await kit.call('GET', `/${dataset}`)).body).toMatchObject({ file_count: 2 });
    const [added] = await kit.query(
      "select count(*)::int as n from audit_entry where target_id = $1 and action = 'dataset.file_add'",
      [dataset],
    );
    expect(added).toEqual({ n: 2 });
  });

  /** A session of two small chunks, both sent. */
  const sentSession = async (dataset: string, filename: string) => {
    const { body: session } = await kit.open(dataset, { filename, size: 131_072, chunk_size: 65_536 });
    for (const index of [0, 1]) await kit.chunk(dataset, session.upload_id, index, randomBytes(65_536));
    const [row] = await kit.query<{ object_key: string }>(
      'select object_key from dataset_upload where id = $1',
      [session.upload_id],
    );
    return { id: session.upload_id as string, key: row?.object_key as string };
  };
  const unfinished = async () => {
    const keys: string[] = [];
    for await (const { key } of api.container.objects.listUnfinished(`t/${kit.tenant.id}/`)) keys.push(key);
    return keys;
  };

  it('ends a multipart upload that was begun and whose id nobody kept, however its session ends', async () => {
    const dataset = await kit.draft('Begun');
    const kept = await kit.draft('Begun and kept');
    const failed = await sentSession(dataset, 'failed.bin');
    const expired = await sentSession(kept, 'expired.bin');
    const deleted = await sentSession(dataset, 'deleted.bin');
    const joined = await sentSession(kept, 'joined.bin');
    const cutOff = await sentSession(kept, 'cut-off.bin');
    for (const { key } of [failed, expired, deleted, joined, cutOff])
      await api.container.objects.createMultipart(key);
    // Joined by an attempt that was stopped before it could tidy up.
    await api.container.objects.put(cutOff.key, Buffer.alloc(131_072), 131_072);
    expect((await unfinished()).sort()).toEqual(
      [failed, expired, deleted, joined, cutOff].map(({ key }) => key).sort(),
    );
    for (const { id } of [joined, cutOff]) {
      await kit.complete(kept, id);
      expect(await kit.ended(kept, id)).toMatchObject({ state: 'done' });
    }
    await inTenant((tx) =>
      tx.execute("update dataset_upload set state = 'assembling' where id = $1", [failed.id]),
    );
    await inTenant((tx) =>
      failUpload(tx, failed.id, { code: 'unprocessable_entity', message: 'Failed by the test.' }),
    );
    expect((await kit.call('DELETE', `/${dataset}`)).status).toBe(204);
    await kit.query("update dataset_upload set touched_at = now() - interval '400 days' where id = $1", [
      expired.id,
    ]);
    await api.container.db.inPlatform((tx) => expireIdleSessions(tx, 300, 10));
    await swept();
    expect(await unfinished()).toEqual([]);
  });

  it('writes nothing any more once the work of a deleted dataset has ended, and keeps nothing it wrote', async () => {
    const own = new DatasetKit(api, await api.addTenant());
    const dataset = await own.draft('Going');
    const unpacking = own.upload(dataset, 'many.zip', manyMembers(19_000), 'archive');
    const recorded = async () =>
      (
        await own.query<{ n: number }>('select count(*) as n from orphaned_object where tenant_id = $1', [
          own.tenant.id,
        ])
      )[0]?.n ?? 0;
    while ((await recorded()) < 500) await sleep(20);
    const [upload] = await own.query<{ id: string }>(
      "select id from dataset_upload where tenant_id = $1 and state = 'assembling'",
      [own.tenant.id],
    );
    expect((await own.call('DELETE', `/${dataset}`)).status).toBe(204);
    const { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE } = api.container.settings;
    const engine = createWorkflowEngine({ address: TEMPORAL_ADDRESS, namespace: TEMPORAL_NAMESPACE });
    const ended = engine.client.workflow
      .getHandle(uploadWorkflowId({ tenantId: own.tenant.id, uploadId: upload?.id as string }))
      .result();
    await expect(ended).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    await engine.close();
    const before = new Set(await own.objectKeys());
    expect((await unpacking).status).toBe(404);
    const late: string[] = [];
    // Longer than a cancel may take to reach the one who writes.
    for (const end = Date.now() + 4000; Date.now() < end; await sleep(50))
      late.push(...(await own.objectKeys()).filter((key) => !before.has(key)));
    expect(late.length).toBe(0);
    for (let left = 300; left > 0 && (await recorded()) > 0; left -= 1) await sleep(100);
    expect([await recorded(), await own.objectKeys()]).toEqual([0, []]);
  }, 60_000);

  it('never takes the hash of chunks that another process replaced', async () => {
    const dataset = await kit.draft('Two processes');
    const beside = await startApiBeside(api);
    try {
      for (const size of [65_536, 5 * 2 ** 20]) {
        const [x, y, last] = [randomBytes(size), randomBytes(size), randomBytes(99)] as [
          Buffer,
          Buffer,
          Buffer,
        ];
        const { body: session } = await kit.open(dataset, {
          filename: `${size}.bin`,
          size: size + 99,
          chunk_size: size,
        });
        await kit.chunk(dataset, session.upload_id, 0, x);
        const replaced = await beside.call(
          'PUT',
          `/api/v1/datasets/${dataset}/uploads/${session.upload_id}/chunks/0`,
          {
            token: kit.token,
            tenant: kit.tenant.code,
            body: y,
            headers: { 'content-type': 'application/octet-stream' },
          },
        );
        expect(replaced.status).toBe(200);
        await kit.chunk(dataset, session.upload_id, 1, last);
        await kit.complete(dataset, session.upload_id);
        const { result } = await kit.ended(dataset, session.upload_id);
        expect((await kit.call('GET', `/${dataset}/files/${result.file_ids[0]}`)).body).toMatchObject({
          sha256: sha256(Buffer.concat([y, last])),
        });
      }
    } finally {
      await beside.close();
    }
  });

  it('reads a large dataset again without one statement over all of its files', async () => {
    const dataset = await kit.draft('Large');
    await kit.upload(dataset, 'notes.txt', Buffer.from('notes'));
    await kit.settled(dataset);
    const [row] = await kit.query<{ id: string; attempt: number }>(
      'select id, validation_attempt + 1 as attempt from dataset where tenant_id = $1 and key = $2',
      [kit.tenant.id, dataset],
    );
    const input = { tenantId: kit.tenant.id, datasetId: row?.id as string, attempt: row?.attempt as number };
    const steps = await inTenant(async (tx) => {
      await tx.execute(
        `insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, label, origin, added_revision, status)
         select tenant_id, dataset_id, 'n/' || n, sha256, size_bytes, object_key || n, media_type, kind, label, origin, added_revision, 'valid'
         from dataset_file, generate_series(1, 4) n where tenant_id = $1 and dataset_id = $2`,
        [tx.tenantId, input.datasetId],
      );
      await tx.execute(
        'update dataset set recheck_all = true, validation_active = true, validation_attempt = $3, validate_after = now() where tenant_id = $1 and id = $2',
        [tx.tenantId, input.datasetId, input.attempt],
      );
      const more: unknown[] = [];
      for (let left = 3; left > 0; left -= 1)
        more.push(await reopenSome(tx, input, 2), await countPending(tx, input.datasetId));
      const pass = await beginPass(tx, input);
      more.push(pass, (await tx.query('show statement_timeout'))[0]);
      // Nothing of this is to stay.
      return Promise.reject(Object.assign(new Error('undone'), { more }));
    }).catch((error: { more: unknown[] }) => error.more);
    expect(steps).toEqual([
      true,
      2,
      true,
      4,
      false,
      5,
      expect.objectContaining({ kind: 'pass', pending: 5 }),
      { statement_timeout: '15min' },
    ]);
  });

  it('may take minutes to delete a dataset and to register what an archive held', async () => {
    const dataset = await kit.draft('Minutes');
    const { id } = await sentSession(dataset, 'a.bin');
    const limits = await inTenant(async (tx) => {
      await tx.execute("update dataset_upload set state = 'assembling' where id = $1", [id]);
      await tx.execute('savepoint before');
      await finishUpload(tx, id, []);
      const [finishing] = await tx.query('show statement_timeout');
      await tx.execute('rollback to before');
      await deleteDataset(tx, SYSTEM_ACTOR, dataset, false);
      return [finishing, ...(await tx.query('show statement_timeout'))];
    });
    expect(limits).toEqual([{ statement_timeout: '15min' }, { statement_timeout: '15min' }]);
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
    expect(
      isCommitInDoubt(await failure((tx) => tx.execute('select pg_terminate_backend(pg_backend_pid())'))),
    ).toBe(false);
    expect(isCommitInDoubt(await failure((tx) => tx.execute('select 1/0')))).toBe(false);
  });
});
