import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type DatasetKit, zip } from './support/dataset-kit.js';
import { openWorkingKit, type WorkingKit } from './support/open-dataset-kit.js';
import { craftZip, manyMembers } from '../../builders/crafted-zip.js';
import { HOSTILE_ARCHIVES } from '../../builders/hostile-archives.js';

describe('hostile archives', () => {
  let lab: WorkingKit;
  let kit: DatasetKit;
  let dataset: string;
  beforeAll(async () => {
    lab = await openWorkingKit();
    kit = lab.kit;
    dataset = await kit.draft('Hostile');
  });
  afterAll(() => lab?.close());
  afterEach(async () => {
    const [row] = await kit.query('select file_count, revision, status from dataset where key = $1', [
      dataset,
    ]);
    expect(row).toEqual({ file_count: 0, revision: 0, status: 'DRAFT' });
  });

  it.each(
    HOSTILE_ARCHIVES.flatMap(({ name, make, refused, status }) =>
      refused === null || status === 413 ? [] : [[name, make, refused] as const],
    ),
  )('are refused with the reason when a member %s', async (_what, make, reason) => {
    const answer = await kit.upload(dataset, 'evil.zip', make(), 'archive');
    expect(answer.status).toBe(422);
    expect(answer.body.message).toMatch(reason);
    expect(answer.body.message).toMatch(/unchanged/);
  });

  it('are forgotten at once: what was stored of them does not wait for a day', async () => {
    const members = Array.from({ length: 20 }, (_, n) => ({ name: `good/${n}.txt`, bytes: randomBytes(50) }));
    const archive = craftZip([...members, { name: 'z/bad.txt', bytes: Buffer.from('x'), crc: 1 }]);
    expect(await kit.upload(dataset, 'evil.zip', archive, 'archive')).toMatchObject({
      status: 422,
      body: { message: expect.stringMatching(/checksum/) },
    });
    expect(
      await kit.query(
        "select object_key from orphaned_object where tenant_id = $1 and due_at > now() + interval '1 hour'",
        [kit.tenant.id],
      ),
    ).toEqual([]);
  });

  it('are refused with 20,001 members, pointing to sessions, which refuse 100,001', async () => {
    const answer = await kit.upload(dataset, 'many.zip', manyMembers(20_001), 'archive');
    expect(answer).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large', message: expect.stringContaining('session') },
    });
    const many = manyMembers(100_001);
    const { body: session } = await kit.open(dataset, { filename: 'many.zip', size: many.length });
    await kit.chunk(dataset, session.upload_id, 0, many);
    await kit.complete(dataset, session.upload_id);
    expect(await kit.ended(dataset, session.upload_id)).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('limit is 100000'),
    });
  });

  it('are not opened when they are members themselves', async () => {
    const own = await kit.draft('Nested');
    const inner = await zip({ '42.txt': Buffer.from('x') });
    expect(
      (await kit.upload(own, 'outer.zip', await zip({ 'inner.zip': inner }), 'archive')).body,
    ).toMatchObject({ created: 1 });
    expect((await kit.call('GET', `/${own}/files`)).body.items).toMatchObject([
      { path: 'inner.zip', kind: 'other', media_type: 'application/zip' },
    ]);
  });

  it('leave no object in the store', async () => {
    const others = async () => (await kit.objectKeys()).filter((key) => key.includes('/dataset/')).length;
    for (let left = 200; left > 0 && (await others()) > 1; left -= 1) await kit.query('select pg_sleep(0.1)');
    expect(await others()).toBe(1);
  });
});
