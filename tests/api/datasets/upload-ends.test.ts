import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatasetMaintenance } from '../../../activities/datasets/dataset-maintenance.js';
import type { DatasetKit } from './support/dataset-kit.js';
import { openWorkingKit, type WorkingKit } from './support/open-dataset-kit.js';

const KIB_64 = 65_536;
const MIB_5 = 5 * 2 ** 20;

describe('what is left of an upload session that is over', () => {
  let lab: WorkingKit;
  let kit: DatasetKit;
  let dataset: string;
  beforeAll(async () => {
    lab = await openWorkingKit();
    kit = lab.kit;
    dataset = await kit.draft('Ends');
  });
  afterAll(() => lab?.close());

  /** A session whose first chunk is there. */
  const begun = async (filename: string, chunkBytes: number, more: Record<string, unknown> = {}) => {
    const { body } = await kit.open(dataset, {
      filename,
      size: 2 * chunkBytes,
      chunk_size: chunkBytes,
      ...more,
    });
    expect((await kit.chunk(dataset, body.upload_id, 0, randomBytes(chunkBytes))).status).toBe(200);
    return body.upload_id as string;
  };
  const read = async (id: string) => (await kit.call('GET', `/${dataset}/uploads/${id}`)).body;
  const chunkRows = async (id: string) =>
    (
      await kit.query<{ n: number }>('select count(*) as n from dataset_upload_chunk where upload_id = $1', [
        id,
      ])
    )[0]?.n;
  const age = (id: string, interval: string) =>
    kit.query(`update dataset_upload set touched_at = now() - interval '${interval}' where id = $1`, [id]);
  const inStore = () => kit.inStore();

  it('is freed after seven days without a call, in the store too, and not before', async () => {
    const before = await inStore();
    const young = [await begun('young-parts.bin', MIB_5), await begun('young-small.bin', KIB_64)];
    const ofYoung = await inStore();
    const old = [await begun('old-parts.bin', MIB_5), await begun('old-small.bin', KIB_64)];
    expect((await inStore()).length - ofYoung.length).toBe(2);
    for (const id of young) await age(id, '6 days 23 hours');
    for (const id of old) await age(id, '7 days 1 minute');
    const task = createDatasetMaintenance(lab.api.container.db).find(
      ({ name }) => name === 'idle-dataset-uploads',
    );
    expect(await task?.run(new AbortController().signal)).toBe(2);
    for (let left = 100; left > 0 && (await inStore()).length > ofYoung.length; left -= 1)
      await kit.query('select pg_sleep(0.1)');
    expect(await inStore()).toEqual(ofYoung);
    for (const id of old) {
      expect([await read(id), await chunkRows(id)]).toMatchObject([{ state: 'expired', received: [] }, 0]);
      expect((await kit.chunk(dataset, id, 1, randomBytes(KIB_64))).status).toBe(409);
    }
    for (const id of young)
      expect([await read(id), await chunkRows(id)]).toMatchObject([{ state: 'open', received: [0] }, 1]);
    expect(before.length).toBeLessThan(ofYoung.length);
  });

  it('are no rows of chunks, whether it is done or failed; one that is done still lists them all', async () => {
    const done = await begun('done.bin', KIB_64);
    const failed = await begun('failed.bin', KIB_64, { sha256: '0'.repeat(64) });
    for (const id of [done, failed]) {
      await kit.chunk(dataset, id, 1, randomBytes(KIB_64));
      expect((await read(id)).received).toEqual([0, 1]);
      await kit.complete(dataset, id);
    }
    expect(await kit.ended(dataset, done)).toMatchObject({ state: 'done', received: [0, 1] });
    expect(await kit.ended(dataset, failed)).toMatchObject({ state: 'failed', received: [] });
    expect([await chunkRows(done), await chunkRows(failed)]).toEqual([0, 0]);
  });

  it('is an entry of the audit trail that says how it ended, and why where it failed', async () => {
    const ends: Record<string, unknown> = {};
    for (const [filename, more] of [
      ['whole.bin', {}],
      ['other-bytes.bin', { sha256: '0'.repeat(64) }],
    ] as const) {
      const id = await begun(filename, KIB_64, more);
      await kit.chunk(dataset, id, 1, randomBytes(KIB_64));
      await kit.complete(dataset, id);
      const { state, error } = await kit.ended(dataset, id);
      const sql =
        "select outcome, detail ->> 'reason' as reason from audit_entry where detail ->> 'upload_id' = $1";
      ends[filename] = [state, await kit.query(sql, [id]), error];
    }
    expect(ends).toEqual({
      'whole.bin': ['done', [{ outcome: 'success', reason: null }], null],
      'other-bytes.bin': [
        'failed',
        [{ outcome: 'failed', reason: expect.stringContaining('0'.repeat(64)) }],
        expect.any(String),
      ],
    });
  });
});
