import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { findFrozenDataset, holdDatasetVersion } from '../../../models/datasets/dataset.repository.js';
import { SYSTEM_ACTOR } from '../../../models/audit/audit.types.js';
import { deleteDataset } from '../../../models/datasets/dataset.commands.js';
import { lockDataset } from '../../../models/datasets/dataset-change.commands.js';
import { newObjectKey, openArchiveUpload } from '../../../models/datasets/dataset-upload.commands.js';
import { noteLooseObjects } from '../../../models/objects/loose-object.repository.js';
import { DatasetKit, png } from './support/dataset-kit.js';
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
    api.container.db.inTenant(asTenantId(kit.tenant.id), async (tx) => holdDatasetVersion(tx, (await findFrozenDataset(tx, id))?.versionId ?? '', { kind: 'experiment', id: run }));
  const audited = async (id: string, action: string) =>
    (await kit.query<{ detail: Record<string, unknown> }>('select detail from audit_entry where target_id = $1 and action = $2 order by id desc limit 1', [id, action]))[0]?.detail;

  it('opens no session on a dataset that goes at the same moment', async () => {
    for (let round = 0; round < 12; round += 1) {
      const id = await kit.draft(`Going ${round}`);
      const opened = Array.from({ length: 4 }, () => kit.call('POST', `/${id}/uploads`, { json: { filename: 'z.bin', size: 5 } }));
      const [gone, ...answers] = await Promise.all([kit.call('DELETE', `/${id}`), ...opened]);
      expect([204, 409]).toContain(gone.status);
      for (const { status } of answers) expect([201, 404]).toContain(status);
    }
  });

  it('tells in the audit row what goes now, what a run still keeps, and who that is', async () => {
    const id = await kit.draft('Told');
    const old = (await kit.upload(id, 'a/1.png', await png(301))).body;
    await kit.upload(id, 'a/2.png', await png(302));
    await kit.settled(id);
    const run = randomUUID();
    await hold(id, run);
    const fresh = (await kit.upload(id, 'a/3.png', await png(303))).body;
    expect(await kit.call('DELETE', `/${id}/files/${old.id}`)).toMatchObject({ status: 409, body: { detail: { users: [{ id: run }] } } });
    expect((await kit.call('DELETE', `/${id}/files/${old.id}?force=true`)).status).toBe(204);
    expect(await audited(id, 'dataset.file_delete')).toMatchObject({ path: 'a/1.png', freed_bytes: 0, held_bytes: old.size_bytes, force: true, users: [{ id: run }] });
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

  it('counts an archive that is being unpacked among what goes', async () => {
    const id = await kit.draft('Unpacked');
    const objectKey = newObjectKey(asTenantId(kit.tenant.id), 'dataset');
    await api.container.db.inTenant(asTenantId(kit.tenant.id), async (tx) => {
      await noteLooseObjects(tx, [{ key: objectKey }]);
      await openArchiveUpload(tx, SYSTEM_ACTOR, await lockDataset(tx, id), { path: 'a.zip', sizeBytes: 12_345, sha256: '0'.repeat(64), objectKey });
      await deleteDataset(tx, SYSTEM_ACTOR, id, false);
    });
    expect(await audited(id, 'dataset.delete')).toMatchObject({ freed_bytes: 12_345, canceled_uploads: 1 });
  });

  it('ends open sessions and frees their parts, also of a chunk that is on its way', async () => {
    const own = new DatasetKit(api, await api.addTenant());
    const id = await own.draft('On its way');
    const { body: parts } = await own.open(id, { filename: 'parts.bin', size: 2 * MIB_5, chunk_size: MIB_5 });
    const { body: small } = await own.open(id, { filename: 'small.bin', size: 131_072, chunk_size: 65_536 });
    await own.chunk(id, parts.upload_id, 0, Buffer.alloc(MIB_5));
    const late = [parts, small].map((session) => slowChunk(own, id, session.upload_id, session.chunk_size));
    await own.query('select pg_sleep(0.3)');
    expect((await own.call('DELETE', `/${id}`)).status).toBe(204);
    for (const chunk of late) expect(await chunk.finish()).toBe(404);
    expect((await own.call('GET', `/${id}/uploads/${parts.upload_id}`)).status).toBe(404);
    expect((await own.chunk(id, parts.upload_id, 1, Buffer.alloc(MIB_5))).status).toBe(404);
    for (let left = 150; left > 0 && (await own.query('select 1 from loose_object where tenant_id = $1', [own.tenant.id])).length > 0; left -= 1)
      await own.query('select pg_sleep(0.1)');
    expect(await own.query('select 1 from loose_object where tenant_id = $1', [own.tenant.id])).toEqual([]);
    expect(await own.objectKeys()).toEqual([]);
  });

  it('takes chunks as plain bytes only', async () => {
    const id = await kit.draft('Types');
    const { body: session } = await kit.open(id, { filename: 'a.bin', size: 3 });
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'image/png'])
      expect(await kit.chunk(id, session.upload_id, 0, Buffer.from('abc'), { 'content-type': type })).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    expect((await kit.chunk(id, session.upload_id, 0, Buffer.from('abc'), { 'content-type': 'application/octet-stream; x=1' })).status).toBe(200);
  });
});

/** A chunk whose last byte waits. */
function slowChunk(kit: DatasetKit, dataset: string, upload: string, size: number): { finish(): Promise<number> } {
  const url = `${kit.api.base}/api/v1/datasets/${dataset}/uploads/${upload}/chunks/1`;
  const headers = { authorization: `Bearer ${kit.token}`, 'x-tenant': kit.tenant.code, 'content-type': 'application/octet-stream', 'content-length': size };
  const req = request(url, { method: 'PUT', headers });
  const answered = new Promise<number>((resolve, reject) => {
    req.on('response', (answer) => resolve(answer.resume().statusCode as number));
    req.on('error', reject);
  });
  req.write(Buffer.alloc(size - 1));
  return {
    finish: () => {
      req.end(Buffer.alloc(1));
      return answered;
    },
  };
}
