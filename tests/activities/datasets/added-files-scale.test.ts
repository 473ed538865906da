import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { lockDataset } from '../../../models/datasets/catalog/dataset-change.commands.js';
import { addFiles } from '../../../models/datasets/files/dataset-file.commands.js';
import type { NewFile } from '../../../models/datasets/files/new-file.types.js';
import { recordOrphanedObjects } from '../../../models/objects/orphaned-object.commands.js';
import { DatasetKit } from '../../api/datasets/support/dataset-kit.js';
import { startTestApi, type TestApi } from '../../api/support/test-api.js';

const NEW = 5000;
const THERE = 30_000;

describe('many files added at once', () => {
  let api: TestApi;
  let kit: DatasetKit;
  beforeAll(async () => {
    api = await startTestApi();
    kit = new DatasetKit(api, await api.addTenant());
  });
  afterAll(() => api?.close());

  const newFile = (path: string): NewFile => ({
    path,
    sha256: '1'.repeat(64),
    sizeBytes: 1,
    objectKey: `t/${kit.tenant.id}/dataset/${randomUUID()}`,
    mediaType: 'x',
    kind: 'other',
  });

  /** @returns how many rows were read to add the files */
  async function rowsReadToAdd(name: string, there: number): Promise<number> {
    const key = await kit.draft(name);
    await kit.query(
      `insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, added_revision)
       select d.tenant_id, d.id, 'old-' || n % 250 || '/' || n || '.txt', repeat('0', 64), 1, gen_random_uuid()::text, 'x', 'other', 1 from dataset d, generate_series(1, $2::int) as n where d.key = $1`,
      [key, there],
    );
    const clashes = there === 0 ? [] : ['old-1', 'old-1/1.txt/below'];
    const files = [...Array.from({ length: NEW }, (_, n) => `new-${n % 250}/${n}.txt`), ...clashes].map(
      newFile,
    );
    return api.container.db.inTenant(asTenantId(kit.tenant.id), async (tx) => {
      const dataset = await lockDataset(tx, key);
      await recordOrphanedObjects(
        tx,
        files.map(({ objectKey: key }) => ({ key })),
      );
      const rowsRead = async () => {
        const [row] = await tx.query<{ count: number }>(
          `select sum(seq_tup_read + idx_tup_fetch) as count from pg_stat_xact_user_tables
           where relname = 'dataset_file'`,
        );
        return row?.count ?? Number.NaN;
      };
      const before = await rowsRead();
      const { created, errors } = await addFiles(tx, dataset, files, { id: null, origin: 'upload' });
      const read = (await rowsRead()) - before;
      expect([created.length, errors.map(({ path }) => path)]).toEqual([NEW, clashes]);
      return read;
    });
  }

  it('are added without reading all the others', async () => {
    const alone = await rowsReadToAdd('Alone', 0);
    const beside = await rowsReadToAdd('Beside', THERE);
    if (process.env.SHOW_TIMES) process.stdout.write(`${alone} and ${beside} rows\n`);
    expect(beside).toBeLessThan(alone + THERE / 2);
  });
});
