import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import {
  lockDataset,
  recordFileChange,
  requestRevalidation,
} from '../../../models/datasets/catalog/dataset-change.commands.js';
import { beginPass } from '../../../models/datasets/validation/dataset-validation.commands.js';
import { chooseDataset } from '../../../models/edge/uploads/edge-upload.commands.js';
import type { TenantTransaction } from '../../../models/orm/transaction.js';
import { tinyImages } from '../../builders/tiny-images.js';
import { openSse } from '../support/sse-reader.js';
import { type Answer, startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';
import { startTestWorker, type TestWorker } from '../support/test-worker.js';
import { EdgeKit, type PlayedDevice, within } from './support/edge-kit.js';

jest.setTimeout(120_000);

describe('uploads of devices', () => {
  let api: TestApi;
  let worker: TestWorker;
  let tenant: TestTenant;
  let kit: EdgeKit;

  beforeAll(async () => {
    api = await startTestApi();
    worker = await startTestWorker(api.container.settings);
    tenant = await api.addTenant();
    kit = new EdgeKit(api, tenant);
  });
  afterAll(async () => {
    await worker?.close();
    await api?.close();
  });

  const person = (method: string, path: string, json?: unknown): Promise<Answer> =>
    api.call(method, `/api/v1${path}`, {
      ...{ token: api.admin.token, tenant: tenant.code },
      ...(json !== undefined && { json }),
    });
  const chunk = (device: PlayedDevice, id: string, index: number, bytes: Buffer) =>
    device.call('PUT', `/uploads/${id}/chunks/${index}`, {
      body: bytes,
      headers: { 'content-type': 'application/octet-stream' },
    });
  const ended = async (device: PlayedDevice, id: string) => {
    let last: Answer | null = null;
    const isOver = async () => {
      last = await device.call('GET', `/uploads/${id}`);
      return ['done', 'failed'].includes(last.body.state);
    };
    expect(await within(60_000, isOver)).toBe(true);
    return (last as unknown as Answer).body;
  };
  const upload = async (device: PlayedDevice, bytes: Buffer, json: Record<string, unknown> = {}) => {
    const made = await device.call('POST', '/uploads', {
      json: { filename: `${randomBytes(4).toString('hex')}.bin`, size: bytes.length, ...json },
    });
    expect([made.status, made.text]).toEqual([201, made.text]);
    expect((await chunk(device, made.body.upload_id, 0, bytes)).status).toBe(200);
    expect((await device.call('POST', `/uploads/${made.body.upload_id}:complete`)).status).toBe(202);
    return ended(device, made.body.upload_id);
  };

  it('are kept as long as the policy of their device says, else as their tenant does', async () => {
    const own = await api.addTenant();
    const kitOf = new EdgeKit(api, own);
    const limit = (device: PlayedDevice, days: number) =>
      kitOf.call('PUT', `/devices/${device.id}/policy`, { json: { retention: { uploads_days: days } } });
    const aged = async (device: PlayedDevice, days: number) => {
      const made = await device.call('POST', '/uploads', { json: { filename: `${days}.bin`, size: 1 } });
      await kitOf.run(
        "update dataset_upload set state = 'done', touched_at = now() - make_interval(days => $2) where id = $1",
        [made.body.upload_id, days],
      );
      const { upload_id: id, dataset_id: dataset } = made.body;
      return async () => {
        const person = { token: api.admin.token, tenant: own.code };
        const path = `/api/v1/datasets/${dataset}/uploads/${id}`;
        const listed = await kitOf.call('GET', `/devices/${device.id}/uploads`);
        const [row] = await kitOf.rows<{ n: number }>(
          'select count(*)::int as n from dataset_upload where id = $1',
          [id],
        );
        return {
          asked: (await device.call('GET', `/uploads/${id}`)).status,
          read: (await api.call('GET', path, person)).status,
          isListed: listed.body.items.some((each: { upload_id: string }) => each.upload_id === id),
          isStored: row?.n === 1,
        };
      };
    };
    const kept = { asked: 200, read: 200, isListed: true, isStored: true };
    const hidden = { asked: 404, read: 404, isListed: false, isStored: true };
    const [short, long, plain] = [await kitOf.device(), await kitOf.device(), await kitOf.device()];
    await limit(short, 2);
    await limit(long, 30);
    const [young, old] = [await aged(short, 1), await aged(short, 3)];
    const [ofLong, ofPlain] = [await aged(long, 10), await aged(plain, 10)];
    expect([await young(), await old(), await ofLong(), await ofPlain()]).toEqual([kept, hidden, kept, kept]);
    await worker.tidy('retention-uploads');
    const removed = { ...hidden, isStored: false };
    expect([await young(), await old(), await ofLong(), await ofPlain()]).toEqual([
      ...[kept, removed, kept, kept],
    ]);
    await api.call('PATCH', `/api/v1/settings/tenants/${own.id}`, {
      token: api.admin.token,
      json: { retention: { uploads: 5 } },
    });
    expect([await ofLong(), await ofPlain()]).toEqual([kept, hidden]);
    await worker.tidy('retention-uploads');
    expect([await young(), await ofLong(), await ofPlain()]).toEqual([kept, kept, removed]);
  });

  it('come in chunks in any order, go on where they broke off, and end in the dataset that they name', async () => {
    const device = await kit.device();
    const { id: dataset } = (await person('POST', '/datasets/drafts', { name: 'From the field' })).body;
    const bytes = randomBytes(150_000);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const made = await device.call('POST', '/uploads', {
      json: {
        ...{ filename: 'a/b.bin', size: bytes.length, sha256, chunk_size: 65_536 },
        ...{ dataset_id: dataset, kind: 'image', meta: { confidence: 0.3 } },
      },
    });
    expect([made.status, made.body]).toMatchObject([
      201,
      { dataset_id: dataset, chunk_size: 65_536, chunk_count: 3, received: [], state: 'open', kind: 'image' },
    ]);
    const { upload_id } = made.body;
    expect((await chunk(device, upload_id, 2, bytes.subarray(131_072))).status).toBe(200);
    const early = await device.call('POST', `/uploads/${upload_id}:complete`);
    expect([early.status, early.body.detail]).toEqual([409, { missing: [0, 1] }]);
    expect((await chunk(device, upload_id, 0, bytes.subarray(0, 65_537))).status).toBe(413);
    expect((await device.call('GET', `/uploads/${upload_id}`)).body.received).toEqual([2]);
    await chunk(device, upload_id, 0, bytes.subarray(0, 65_536));
    await chunk(device, upload_id, 1, bytes.subarray(65_536, 131_072));
    const open = await kit.call('GET', `/devices/${device.id}/uploads?state=open`);
    expect(open.body).toMatchObject({
      total: 1,
      items: [{ upload_id, received: 3, meta: { confidence: 0.3 } }],
    });
    expect((await device.call('POST', `/uploads/${upload_id}:complete`)).status).toBe(202);
    expect(await ended(device, upload_id)).toMatchObject({ state: 'done', result: { created: 1 } });
    const files = await person('GET', `/datasets/${dataset}/files`);
    expect(files.body.items).toMatchObject([{ path: 'a/b.bin', size_bytes: 150_000 }]);
    expect((await kit.call('GET', `/devices/${device.id}/uploads?state=open`)).body.total).toBe(0);
    expect((await kit.call('GET', `/devices/${device.id}/uploads?state=lost`)).status).toBe(422);
  });

  it('go into a dataset of the device where they name none, and into a draft beside a frozen one', async () => {
    const device = await kit.device();
    const [one, two] = [await upload(device, Buffer.from('one')), await upload(device, Buffer.from('two'))];
    expect([one.state, two.dataset_id]).toEqual(['done', one.dataset_id]);
    const { id: frozen } = (await person('POST', '/datasets/drafts', { name: 'Frozen one' })).body;
    await kit.run("update dataset set status = 'FROZEN' where tenant_id = $1 and key = $2", [
      tenant.id,
      frozen,
    ]);
    const beside = await upload(device, Buffer.from('three'), { dataset_id: frozen });
    expect(beside.dataset_id).not.toBe(frozen);
    const other = await kit.device();
    expect((await upload(other, Buffer.from('four'), { dataset_id: frozen })).dataset_id).toBe(
      beside.dataset_id,
    );
    expect((await person('GET', `/datasets/${frozen}/files`)).body.total).toBe(0);
    expect((await person('GET', `/datasets/${beside.dataset_id}/files`)).body.total).toBe(2);
    const none = await device.call('POST', '/uploads', {
      json: { filename: 'x', size: 1, dataset_id: 'nowhere' },
    });
    expect(none.status).toBe(404);
  });

  it('go beside a frozen table into a table', async () => {
    const device = await kit.device();
    const draft = { name: 'Frozen table', modality: 'tabular' };
    const { id: frozen } = (await person('POST', '/datasets/drafts', draft)).body;
    await kit.run("update dataset set status = 'FROZEN' where tenant_id = $1 and key = $2", [
      tenant.id,
      frozen,
    ]);
    const asked = { filename: 'rows.csv', size: 8, dataset_id: frozen };
    const { dataset_id: beside } = (await device.call('POST', '/uploads', { json: asked })).body;
    expect(beside).not.toBe(frozen);
    expect((await person('GET', `/datasets/${beside}`)).body).toMatchObject({ modality: 'tabular' });
  });

  it('leave a dataset frozen that was frozen after they began', async () => {
    const device = await kit.device();
    const { id: asked } = (await person('POST', '/datasets/drafts', { name: 'Frozen meanwhile' })).body;
    const made = await device.call('POST', '/uploads', {
      json: { filename: 'late.bin', size: 4, dataset_id: asked },
    });
    await chunk(device, made.body.upload_id, 0, Buffer.from('late'));
    const named = [tenant.id, asked];
    await kit.run("update dataset set status = 'FROZEN' where tenant_id = $1 and key = $2", named);
    expect((await device.call('POST', `/uploads/${made.body.upload_id}:complete`)).status).toBe(202);
    const end = await ended(device, made.body.upload_id);
    expect([end.state, end.dataset_id === asked]).toEqual(['done', false]);
    const [before] = await kit.rows('select status from dataset where tenant_id = $1 and key = $2', named);
    expect(before).toEqual({ status: 'FROZEN' });
    expect((await person('GET', `/datasets/${asked}/files`)).body.total).toBe(0);
    expect((await person('GET', `/datasets/${end.dataset_id}/files`)).body.total).toBe(1);
  });

  it('leave a frozen dataset as it is while it is validated again, and take one whose files change', async () => {
    const device = await kit.device();
    const { id: asked } = (await person('POST', '/datasets/drafts', { name: 'Read again' })).body;
    const [picture] = await tinyImages(1, 1);
    await upload(device, picture?.bytes as Buffer, { filename: 'a/1.png', dataset_id: asked });
    const isFrozen = async () => (await person('GET', `/datasets/${asked}`)).body.status === 'FROZEN';
    expect(await within(60_000, isFrozen)).toBe(true);
    const actor = { id: null, email: null, fullName: 'device', ip: null };
    const inTenant = <T>(work: (tx: TenantTransaction) => Promise<T>) =>
      api.container.db.inTenant(asTenantId(tenant.id), work);
    const choose = (tx: TenantTransaction) => chooseDataset(tx, actor, device.id, asked);
    const beside = await inTenant(choose);
    const chosen = await inTenant(async (tx) => {
      const { id, validationAttempt } = await lockDataset(tx, asked);
      await requestRevalidation(tx, await lockDataset(tx, asked), 'all');
      const waiting = await choose(tx);
      const input = { tenantId: tenant.id, datasetId: id, attempt: validationAttempt + 1 };
      expect(await beginPass(tx, input)).toMatchObject({ kind: 'pass', pending: 1 });
      const reading = await choose(tx);
      await recordFileChange(tx, await lockDataset(tx, asked), { files: 0, bytes: 0 });
      return { waiting, reading, changed: await choose(tx) };
    });
    expect(beside).not.toBe(asked);
    expect(chosen).toEqual({ waiting: beside, reading: beside, changed: asked });
  });

  it('fail where the dataset was frozen and their device deleted before they ended', async () => {
    const device = await kit.device();
    const { id: asked } = (await person('POST', '/datasets/drafts', { name: 'Left alone' })).body;
    const { upload_id: id } = (
      await device.call('POST', '/uploads', { json: { filename: 'a.bin', size: 4, dataset_id: asked } })
    ).body;
    await chunk(device, id, 0, Buffer.from('late'));
    await kit.run("update dataset set status = 'FROZEN' where tenant_id = $1 and key = $2", [
      ...[tenant.id, asked],
    ]);
    expect((await kit.call('DELETE', `/devices/${device.id}`)).status).toBe(200);
    const path = `/datasets/${asked}/uploads/${id}`;
    expect((await person('POST', `${path}:complete`)).status).toBe(202);
    const state = async () => (await person('GET', path)).body.state;
    expect(await within(60_000, async () => ['done', 'failed'].includes(await state()))).toBe(true);
    expect(await state()).toBe('failed');
    expect((await person('GET', `/datasets/${asked}`)).body.status).toBe('FROZEN');
    expect((await person('GET', `/datasets/${asked}/files`)).body.total).toBe(0);
  });

  it('fail where the bytes are not those that were promised', async () => {
    const device = await kit.device();
    const failed = await upload(device, Buffer.from('five'), { sha256: 'a'.repeat(64) });
    expect([failed.state, failed.error]).toEqual(['failed', expect.stringContaining('sha256')]);
  });

  it('are reported to those who watch, to their end', async () => {
    const device = await kit.device();
    const headers = { authorization: `Bearer ${api.admin.token}`, 'x-tenant': tenant.code };
    const stream = await openSse(`${api.base}/api/v1/stream/edge/${device.id}`, headers);
    await stream.next();
    const { upload_id } = await upload(device, Buffer.from('six'));
    const states: unknown[] = [];
    while (states.at(-1) !== 'done') {
      const { event, data } = await stream.next(20_000);
      expect([event, data.upload_id]).toEqual(['upload', upload_id]);
      states.push(data.state);
    }
    expect(states).toEqual(['open', 'open', 'assembling', 'done']);
    stream.close();
  });

  it('of one device are none of another, and need their scope', async () => {
    const [device, other] = [await kit.device(), await kit.device()];
    const made = await device.call('POST', '/uploads', { json: { filename: 'x', size: 3 } });
    const { upload_id } = made.body;
    expect((await other.call('GET', `/uploads/${upload_id}`)).status).toBe(404);
    expect((await chunk(other, upload_id, 0, Buffer.from('abc'))).status).toBe(404);
    expect((await other.call('POST', `/uploads/${upload_id}:complete`)).status).toBe(404);
    const limited = await kit.device({ scopes: ['telemetry:write'] });
    expect((await limited.call('POST', '/uploads', { json: { filename: 'x', size: 3 } })).status).toBe(403);
    for (const json of [{ filename: '../x', size: 3 }, { filename: 'x', size: -1 }, { size: 3 }])
      expect((await device.call('POST', '/uploads', { json })).status).toBe(422);
    const fresh = await kit.device();
    for (const dataset_id of [undefined, 'nowhere'])
      expect(
        (await fresh.call('POST', '/uploads', { json: { filename: '../x', size: 1, dataset_id } })).status,
      ).toBe(422);
    expect((await person('GET', `/datasets?q=${fresh.id}`)).body.total).toBe(0);
    expect((await kit.call('DELETE', `/devices/${device.id}`)).status).toBe(200);
    expect((await kit.rows('select 1 from edge_upload where id = $1', [upload_id])).length).toBe(0);
  });
});
