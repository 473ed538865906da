import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/test-api.js';
import { startTestWorker } from '../support/test-worker.js';
import { DatasetKit, zip } from './support/dataset-kit.js';
import { craftZip, manyMembers } from './support/crafted-zip.js';

describe('hostile archives', () => {
  let api: TestApi;
  let worker: Awaited<ReturnType<typeof startTestWorker>>;
  let kit: DatasetKit;
  let dataset: string;
  beforeAll(async () => {
    api = await startTestApi();
    worker = await startTestWorker(api.container.settings);
    kit = new DatasetKit(api, await api.addTenant());
    dataset = await kit.draft('Hostile');
  });
  afterAll(async () => {
    await worker?.close();
    await api?.close();
  });
  afterEach(async () => {
    const [row] = await kit.query('select file_count, revision, status from dataset where key = $1', [dataset]);
    expect(row).toEqual({ file_count: 0, revision: 0, status: 'DRAFT' });
  });

  const zeros = Buffer.alloc(60 * 2 ** 20);
  const good = { name: 'good/1.txt', bytes: Buffer.from('good') };

  it.each<[string, () => Buffer, RegExp]>([
    ['leaves by ..', () => craftZip([good, { name: '../evil', bytes: Buffer.from('x') }]), /leaves the dataset/],
    ['is absolute', () => craftZip([{ name: '/etc/passwd', bytes: Buffer.from('x') }]), /absolute/],
    ['names a drive', () => craftZip([{ name: 'C:\\x', bytes: Buffer.from('x') }]), /backslash/],
    ['holds a NUL', () => craftZip([{ name: 'a\0.png', bytes: Buffer.from('x') }]), /control character/],
    ['is a link', () => craftZip([{ name: 'link', bytes: Buffer.from('/etc/passwd'), unixMode: 0o120777 }]), /link or a special file/],
    ['comes twice', () => craftZip([good, good]), /twice/],
    ['is a file and a folder', () => craftZip([good, { name: 'good', bytes: Buffer.from('x') }]), /file and a folder/],
    ['is a bomb', () => craftZip([{ name: 'bomb', bytes: zeros, deflate: true }]), /200 times/],
    ['is encrypted', () => craftZip([{ name: 'a', bytes: Buffer.from('x'), raw: Buffer.alloc(13), statedSize: 1, flags: 1 }]), /encrypted/],
    ['is larger than it says', () => craftZip([{ name: 'a', bytes: randomBytes(5000), deflate: true, statedSize: 100 }]), /not as many as stated/],
    ['is smaller than it says', () => craftZip([{ name: 'a', bytes: randomBytes(5000), deflate: true, statedSize: 9000 }]), /not as many as stated/],
    ['has another checksum', () => craftZip([{ name: 'a', bytes: Buffer.from('x'), crc: 1 }]), /checksum/],
    ['is no deflate stream', () => craftZip([{ name: 'a', raw: randomBytes(200), statedSize: 300, method: 8, bytes: Buffer.alloc(0) }]), /damaged/],
    ['uses another method', () => craftZip([{ name: 'a', raw: randomBytes(20), statedSize: 30, method: 14, bytes: Buffer.alloc(0) }]), /method other than deflate/],
    ['overlaps another', () => craftZip([good, { name: 'b', bytes: Buffer.from('x') }], { sameOffset: true }), /overlap/],
    ['holds no ZIP', () => Buffer.from('PK no'), /not a readable ZIP/],
    ['is cut', () => craftZip([good, good]).subarray(0, 60), /not a readable ZIP/],
    ['has a damaged directory', () => craftZip([good], { damageDirectory: true }), /directory is damaged/],
  ])('are refused with the reason when a member %s', async (_what, make, reason) => {
    const answer = await kit.upload(dataset, 'evil.zip', make(), 'archive');
    expect(answer.status).toBe(422);
    expect(answer.body.message).toMatch(reason);
    expect(answer.body.message).toMatch(/unchanged/);
  });

  it('are forgotten at once: what was stored of them does not wait for a day', async () => {
    const members = Array.from({ length: 20 }, (_, n) => ({ name: `good/${n}.txt`, bytes: randomBytes(50) }));
    const archive = craftZip([...members, { name: 'z/bad.txt', bytes: Buffer.from('x'), crc: 1 }]);
    expect(await kit.upload(dataset, 'evil.zip', archive, 'archive')).toMatchObject({ status: 422, body: { message: expect.stringMatching(/checksum/) } });
    expect(await kit.query("select object_key from loose_object where tenant_id = $1 and due_at > now() + interval '1 hour'", [kit.tenant.id])).toEqual([]);
  });

  it('are refused with 20,001 members, pointing to sessions, which refuse 100,001', async () => {
    const answer = await kit.upload(dataset, 'many.zip', manyMembers(20_001), 'archive');
    expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large', message: expect.stringContaining('session') } });
    const many = manyMembers(100_001);
    const { body: session } = await kit.open(dataset, { filename: 'many.zip', size: many.length });
    await kit.chunk(dataset, session.upload_id, 0, many);
    await kit.complete(dataset, session.upload_id);
    expect(await kit.ended(dataset, session.upload_id)).toMatchObject({ state: 'failed', error: expect.stringContaining('limit is 100000') });
  });

  it('are not opened when they are members themselves', async () => {
    const own = await kit.draft('Nested');
    const inner = await zip({ '42.txt': Buffer.from('x') });
    expect((await kit.upload(own, 'outer.zip', await zip({ 'inner.zip': inner }), 'archive')).body).toMatchObject({ created: 1 });
    expect((await kit.call('GET', `/${own}/files`)).body.items).toMatchObject([{ path: 'inner.zip', kind: 'other', media_type: 'application/zip' }]);
  });

  it('leave no object in the store', async () => {
    expect(deflateRawSync(zeros).length).toBeLessThan(zeros.length / 200);
    const others = async () => (await kit.objectKeys()).filter((key) => key.includes('/dataset/')).length;
    for (let left = 200; left > 0 && (await others()) > 1; left -= 1) await kit.query('select pg_sleep(0.1)');
    expect(await others()).toBe(1);
  });
});
