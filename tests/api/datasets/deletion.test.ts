import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JOIN_DEADLINE_S } from '../../../core/ports/object-store.js';
import { asTenantId } from '../../../core/security/ids.js';
import { findFrozenDataset, keepDataset } from '../../../models/datasets/catalog/frozen-dataset.queries.js';
import { holdDatasetVersion } from '../../../models/datasets/catalog/dataset-hold.commands.js';
import { SYSTEM_ACTOR } from '../../../models/audit/audit.types.js';
import { deleteDataset } from '../../../models/datasets/catalog/delete-dataset.commands.js';
import { lockDataset } from '../../../models/datasets/catalog/dataset-change.commands.js';
import { deleteFile } from '../../../models/datasets/files/delete-file.commands.js';
import { setPreview } from '../../../models/datasets/files/dataset-file.commands.js';
import {
  newObjectKey,
  openArchiveUpload,
  recordChunk,
} from '../../../models/datasets/uploads/dataset-upload.commands.js';
import {
  adoptObjects,
  LAST_JOIN_S,
  recordOrphanedObjects,
} from '../../../models/objects/orphaned-object.commands.js';
import type { TenantTransaction } from '../../../models/orm/transaction.js';
import { DatasetKit, png } from './support/dataset-kit.js';
import { slowChunk } from './support/slow-chunk.js';
import { openWorkingKit, type WorkingKit } from './support/open-dataset-kit.js';

const MIB_5 = 5 * 2 ** 20;

describe('deleting datasets and files', () => {
  let lab: WorkingKit;
  let api: WorkingKit['api'];
  let kit: DatasetKit;
  beforeAll(async () => {
    lab = await openWorkingKit();
    ({ api, kit } = lab);
  });
  afterAll(() => lab?.close());

  const hold = (id: string, run: string) =>
    api.container.db.inTenant(asTenantId(kit.tenant.id), async (tx) =>
      holdDatasetVersion(tx, (await findFrozenDataset(tx, id))?.versionId ?? '', {
        kind: 'experiment',
        id: run,
      }),
    );
  const audited = async (id: string, action: string) =>
    (
      await kit.query<{ detail: Record<string, unknown> }>(
        'select detail from audit_entry where target_id = $1 and action = $2 order by id desc limit 1',
        [id, action],
      )
    )[0]?.detail;

  it('opens no session on a dataset that goes at the same moment', async () => {
    for (let round = 0; round < 12; round += 1) {
      const id = await kit.draft(`Going ${round}`);
      const opened = Array.from({ length: 4 }, () =>
        kit.call('POST', `/${id}/uploads`, { json: { filename: 'z.bin', size: 5 } }),
      );
      const [gone, ...answers] = await Promise.all([kit.call('DELETE', `/${id}`), ...opened]);
      expect([204, 409]).toContain(gone.status);
      for (const { status } of answers) expect([201, 404]).toContain(status);
    }
  });

  it('says in the audit row what goes now, what a run still keeps, and who that is', async () => {
    const id = await kit.draft('Reported');
    const old = (await kit.upload(id, 'a/1.png', await png(301))).body;
    await kit.upload(id, 'a/2.png', await png(302));
    await kit.settled(id);
    const run = randomUUID();
    await hold(id, run);
    const fresh = (await kit.upload(id, 'a/3.png', await png(303))).body;
    expect(await kit.call('DELETE', `/${id}/files/${old.id}`)).toMatchObject({
      status: 409,
      body: { detail: { users: [{ id: run }] } },
    });
    expect((await kit.call('DELETE', `/${id}/files/${old.id}?force=true`)).status).toBe(204);
    expect(await audited(id, 'dataset.file_delete')).toMatchObject({
      path: 'a/1.png',
      freed_bytes: 0,
      held_bytes: old.size_bytes,
      force: true,
      users: [{ id: run }],
    });
    const { body: session } = await kit.open(id, { filename: 'big.bin', size: 200_000, chunk_size: 65_536 });
    await kit.chunk(id, session.upload_id, 1, Buffer.alloc(65_536, 1));
    expect((await kit.call('DELETE', `/${id}?force=true`)).status).toBe(204);
    expect(await audited(id, 'dataset.delete')).toMatchObject({
      files: 2,
      freed_bytes: fresh.size_bytes + 65_536,
      held_bytes: old.size_bytes,
      canceled_uploads: 1,
      force: true,
      users: [{ id: run }],
    });
  });

  it('names the endpoints that are to be validated by it, counts all users, and leaves no endpoint with the id of what is gone', async () => {
    const id = await kit.draft('Validated by');
    await kit.upload(id, 'a/1.png', await png(311));
    await kit.settled(id);
    for (let n = 0; n < 21; n += 1) await hold(id, randomUUID());
    const endpoint = randomUUID();
    await kit.query(
      `with made as (insert into image (tenant_id, kind, repository) values ($1, 'import', 'v') returning id)
       insert into serving_endpoint (id, tenant_id, name, image_id, replicas, workload_id, sealed_credential, validation_dataset_id) select $2::uuid, $1, 'validated', id, 1, $2::uuid::text, 'x', $3 from made`,
      [kit.tenant.id, endpoint, id],
    );
    const refused = await kit.call('DELETE', `/${id}`);
    expect([refused.status, refused.body.detail.users.length, refused.body.detail.users_total]).toEqual([
      409, 20, 22,
    ]);
    await api.container.db.inTenant(asTenantId(kit.tenant.id), (tx) =>
      tx.execute('delete from dataset_hold where tenant_id = $1', [tx.tenantId]),
    );
    const again = await kit.call('DELETE', `/${id}`);
    expect([again.status, again.body.detail]).toEqual([
      409,
      {
        users: [{ kind: 'serving_endpoint', id: endpoint, name: 'validated', status: 'CREATING' }],
        users_total: 1,
      },
    ]);
    expect((await kit.call('DELETE', `/${id}?force=true`)).status).toBe(204);
    expect(await audited(id, 'dataset.delete')).toMatchObject({
      force: true,
      users: [{ id: endpoint }],
      users_total: 1,
    });
    expect(
      await kit.query('select validation_dataset_id from serving_endpoint where tenant_id = $1', [
        kit.tenant.id,
      ]),
    ).toEqual([{ validation_dataset_id: null }]);
  });

  it('counts an archive that is being unpacked among what goes', async () => {
    const id = await kit.draft('Unpacked');
    const objectKey = newObjectKey(asTenantId(kit.tenant.id), 'dataset');
    await api.container.db.inTenant(asTenantId(kit.tenant.id), async (tx) => {
      await recordOrphanedObjects(tx, [{ key: objectKey }]);
      await openArchiveUpload(tx, SYSTEM_ACTOR, await lockDataset(tx, id), {
        path: 'a.zip',
        sizeBytes: 12_345,
        sha256: '0'.repeat(64),
        objectKey,
      });
      await deleteDataset(tx, SYSTEM_ACTOR, id, false);
    });
    expect(await audited(id, 'dataset.delete')).toMatchObject({ freed_bytes: 12_345, canceled_uploads: 1 });
  });

  const inTenant = <T>(work: (tx: TenantTransaction) => Promise<T>): Promise<T> =>
    api.container.db.inTenant(asTenantId(kit.tenant.id), work);
  /** `late` begins while `early` has yet to commit, and gets its answer after that. */
  async function overtaken<T>(
    early: (tx: TenantTransaction) => Promise<unknown>,
    late: (tx: TenantTransaction) => Promise<T>,
  ): Promise<T> {
    let answer: Promise<T> | undefined;
    await inTenant(async (tx) => {
      await early(tx);
      answer = inTenant(late);
      await Promise.race([answer, sleep(500)]);
    });
    return answer as Promise<T>;
  }
  /** When these objects go, in seconds from now. */
  const dueIn = async (tx: TenantTransaction, keys: readonly string[]) => {
    const rows = await tx.query<{ object_key: string; s: number }>(
      'select object_key, extract(epoch from due_at - now())::int as s from orphaned_object where tenant_id = $1 and object_key = any($2)',
      [tx.tenantId, keys],
    );
    return keys.map((key) => rows.find((row) => row.object_key === key)?.s ?? null);
  };
  const newKeys = async (
    ...kinds: Array<'dataset' | 'dataset-chunk' | 'dataset-preview'>
  ): Promise<string[]> => {
    const keys = kinds.map((kind) => newObjectKey(asTenantId(kit.tenant.id), kind));
    await inTenant((tx) =>
      recordOrphanedObjects(
        tx,
        keys.map((key) => ({ key })),
      ),
    );
    return keys;
  };

  it('frees a chunk that is acknowledged at the same moment', async () => {
    const id = await kit.draft('Acknowledged meanwhile');
    const { body: session } = await kit.open(id, {
      filename: 'small.bin',
      size: 131_072,
      chunk_size: 65_536,
    });
    const [objectKey] = (await newKeys('dataset-chunk')) as [string];
    const due = await overtaken(
      (tx) =>
        recordChunk(tx, session.upload_id, {
          index: 0,
          sizeBytes: 65_536,
          etag: 'e',
          objectKey,
        }),
      async (tx) => {
        await deleteDataset(tx, SYSTEM_ACTOR, id, false);
        return dueIn(tx, [objectKey]);
      },
    );
    expect(due).toEqual([0]);
    expect(await audited(id, 'dataset.delete')).toMatchObject({ freed_bytes: 65_536, canceled_uploads: 1 });
  });

  it('is refused for an endpoint that is given the dataset at the same moment', async () => {
    const id = await kit.draft('Given meanwhile');
    const endpoint = randomUUID();
    const deleted = overtaken(
      async (tx) => {
        await keepDataset(tx, id);
        await tx.execute(
          `with made as (insert into image (tenant_id, kind, repository) values ($1, 'import', 'g') returning id)
           insert into serving_endpoint (id, tenant_id, name, image_id, replicas, workload_id, sealed_credential, validation_dataset_id) select $2::uuid, $1, 'given', id, 1, $2::uuid::text, 'x', $3 from made`,
          [tx.tenantId, endpoint, id],
        );
      },
      (tx) => deleteDataset(tx, SYSTEM_ACTOR, id, false),
    );
    await expect(deleted).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('force=true'),
    });
    expect((await kit.call('GET', `/${id}`)).status).toBe(200);
  });

  it('is what an endpoint keeps its dataset from, and no change of its files', async () => {
    const id = await kit.draft('Kept');
    const kept = await inTenant(async (changing) => {
      await lockDataset(changing, id);
      return inTenant(async (tx) => {
        await tx.execute("set local lock_timeout = '2s'");
        return keepDataset(tx, id);
      });
    });
    expect(kept).toBe(true);
  });

  it('frees a preview that is kept at the same moment', async () => {
    const id = await kit.draft('Previewed meanwhile');
    const { body: file } = await kit.upload(id, 'a/1.png', await png(321));
    const [preview] = (await newKeys('dataset-preview')) as [string];
    const due = await overtaken(
      async (tx) =>
        expect([await setPreview(tx, file.id, preview), await adoptObjects(tx, [preview])]).toEqual([
          true,
          undefined,
        ]),
      async (tx) => {
        await deleteFile(tx, SYSTEM_ACTOR, id, file.id, false);
        return dueIn(tx, [preview]);
      },
    );
    expect(due).toEqual([0]);
  });

  it('removes what the store may still be joining once it can no longer do so, and all else at once', async () => {
    const id = await kit.draft('Joined meanwhile');
    const opened = async (size: number) =>
      (await kit.open(id, { filename: `${size}.bin`, size, chunk_size: 65_536 })).body.upload_id as string;
    const ids = [await opened(0), await opened(131_072), await opened(131_073)];
    const [archive] = (await newKeys('dataset')) as [string];
    const due = await inTenant(async (tx) => {
      await tx.execute(
        "update dataset_upload set state = 'assembling' where tenant_id = $1 and id = any($2)",
        [tx.tenantId, ids.slice(0, 2)],
      );
      await openArchiveUpload(tx, SYSTEM_ACTOR, await lockDataset(tx, id), {
        path: 'a.zip',
        sizeBytes: 5,
        sha256: '0'.repeat(64),
        objectKey: archive,
      });
      const rows = await tx.query<{ object_key: string }>(
        'select object_key from dataset_upload where tenant_id = $1 and id = any($2) order by size_bytes',
        [tx.tenantId, ids],
      );
      await deleteDataset(tx, SYSTEM_ACTOR, id, false);
      return dueIn(tx, [...rows.map((row) => row.object_key), archive]);
    });
    expect(due).toEqual([LAST_JOIN_S, LAST_JOIN_S, 0, 0]);
    expect(LAST_JOIN_S).toBeGreaterThan(JOIN_DEADLINE_S);
  });

  it('ends open sessions and frees their parts, also of a chunk that is on its way', async () => {
    const own = new DatasetKit(api, await api.addTenant());
    const id = await own.draft('On its way');
    const { body: parts } = await own.open(id, { filename: 'parts.bin', size: 2 * MIB_5, chunk_size: MIB_5 });
    const { body: small } = await own.open(id, { filename: 'small.bin', size: 131_072, chunk_size: 65_536 });
    await own.chunk(id, parts.upload_id, 0, Buffer.alloc(MIB_5));
    const late = [parts, small].map((session) =>
      slowChunk(own, id, session.upload_id, Buffer.alloc(session.chunk_size)),
    );
    await own.query('select pg_sleep(0.3)');
    expect((await own.call('DELETE', `/${id}`)).status).toBe(204);
    for (const chunk of late) expect((await chunk.finish()).status).toBe(404);
    expect((await own.call('GET', `/${id}/uploads/${parts.upload_id}`)).status).toBe(404);
    expect((await own.chunk(id, parts.upload_id, 1, Buffer.alloc(MIB_5))).status).toBe(404);
    for (
      let left = 150;
      left > 0 &&
      (await own.query('select 1 from orphaned_object where tenant_id = $1', [own.tenant.id])).length > 0;
      left -= 1
    )
      await own.query('select pg_sleep(0.1)');
    expect(await own.query('select 1 from orphaned_object where tenant_id = $1', [own.tenant.id])).toEqual(
      [],
    );
    expect(await own.objectKeys()).toEqual([]);
  });

  it('takes chunks as plain bytes only', async () => {
    const id = await kit.draft('Types');
    const { body: session } = await kit.open(id, { filename: 'a.bin', size: 3 });
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'image/png'])
      expect(
        await kit.chunk(id, session.upload_id, 0, Buffer.from('abc'), { 'content-type': type }),
      ).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    expect(
      (
        await kit.chunk(id, session.upload_id, 0, Buffer.from('abc'), {
          'content-type': 'application/octet-stream; x=1',
        })
      ).status,
    ).toBe(200);
  });
});
