import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { asTenantId } from '../../../core/security/ids.js';
import { entryPage } from '../../../models/datasets/annotations/report/annotation-report.sql.js';
import { findInTheWay } from '../../../models/datasets/files/dataset-file.sql.js';
import { sampleFileIds } from '../../../models/datasets/files/file-sample.sql.js';
import type { TenantTransaction } from '../../../models/orm/transaction.js';
import { startTestApi, type TestApi } from '../../api/support/test-api.js';

const FILES = 5000;
const LIMIT = 20;

describe('what reads few of many rows, for a tenant that is younger than all statistics', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
    const older = asTenantId((await api.addTenant()).id);
    await api.container.db.inTenant(older, (tx) => fill(tx, 'null'));
    const owner = new pg.Client({ connectionString: api.database.ownerUrl });
    await owner.connect();
    for (const table of ['dataset_file', 'dataset_annotation_file', 'dataset_annotation'])
      await owner.query(`analyze ${table}; alter table ${table} set (autovacuum_enabled = off)`);
    await owner.end();
  });
  afterAll(() => api?.close());

  /** A dataset of images and as many annotation files, each matched with one. @param label SQL of n */
  async function fill(tx: TenantTransaction, label: string): Promise<string> {
    const id = randomUUID();
    const insert = (path: string, kind: string, ofLabel: string) =>
      tx.execute(
        `insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, label, added_revision)
         select $1, $2, ${path}, repeat('0', 64), 1, ${path}, 'x', '${kind}', ${ofLabel}, 1 from generate_series(1, ${FILES}) n`,
        [tx.tenantId, id],
      );
    await tx.execute("insert into dataset (id, tenant_id, key, name) values ($1, $2, $3, 'D')", [
      id,
      tx.tenantId,
      `d-${id}`,
    ]);
    await insert("'images/' || n || '.png'", 'image', label);
    await insert("'labels/' || n || '.txt'", 'annotation', 'null');
    await tx.execute(
      `insert into dataset_annotation_file (tenant_id, dataset_id, file_id, kind, image_count, object_count, orphan_count)
       select tenant_id, dataset_id, id, 'yolo', 1, 1, 0 from dataset_file where dataset_id = $1 and kind = 'annotation'`,
      [id],
    );
    await tx.execute(
      `insert into dataset_annotation (tenant_id, dataset_id, file_id, seq, refs, name, objects, match, image_id)
       select tenant_id, dataset_id, id, 0, '{}', 'n', '', 'matched', id from dataset_file where dataset_id = $1 and kind = 'annotation'`,
      [id],
    );
    return id;
  }

  async function rowsReadBy(
    label: string,
    work: (tx: TenantTransaction, datasetId: string) => Promise<unknown>,
  ): Promise<number> {
    const tenantId = asTenantId((await api.addTenant()).id);
    return api.container.db.inTenant(tenantId, async (tx) => {
      const read = async () => {
        const [row] = await tx.query<{ count: number }>(
          `select sum(seq_tup_read + idx_tup_fetch) as count from pg_stat_xact_user_tables
           where relname in ('dataset_file', 'dataset_annotation_file', 'dataset_annotation')`,
        );
        return row?.count ?? Number.NaN;
      };
      const id = await fill(tx, label);
      const before = await read();
      await work(tx, id);
      return (await read()) - before;
    });
  }

  it.each([
    ['that have no class', 'null'],
    ['of one class', "'only'"],
    ['of more classes than it shows', "'class-' || n % 50"],
  ])('takes a sample of images %s', async (_name, label) => {
    const count = await rowsReadBy(label, async (tx, id) => {
      expect(new Set(await sampleFileIds(tx, id, LIMIT)).size).toBe(LIMIT);
    });
    // The first of every class that is shown.
    expect(count).toBeLessThan(LIMIT * (LIMIT + 2));
  });

  it('finds what stands in the way of new paths', async () => {
    const paths = Array.from({ length: LIMIT }, (_, n) => `images/${n}.png`);
    const count = await rowsReadBy('null', async (tx, id) => {
      expect(await findInTheWay(tx, id, [...paths, 'labels'], ['images', 'images/1.png'])).toHaveLength(
        LIMIT + 1,
      );
    });
    expect(count).toBeLessThan(5 * LIMIT);
  });

  it('reads a page of entries with their files', async () => {
    const count = await rowsReadBy('null', async (tx, id) => {
      expect(await entryPage(tx, id, null, LIMIT)).toHaveLength(LIMIT);
    });
    expect(count).toBeLessThan(5 * LIMIT);
  });
});
