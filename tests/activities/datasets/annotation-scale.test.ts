import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { reportAnnotations } from '../../../activities/datasets/annotation-reporter.js';
import { LIKENESS_VERSION } from '../../../core/ports/image-decoder.js';
import { asTenantId, type TenantId } from '../../../core/security/ids.js';
import {
  type EntryPlace,
  entryPage,
} from '../../../models/datasets/annotations/report/annotation-report.sql.js';
import { packObjects } from '../../../formats/annotations/packed-objects.js';
import { startTestApi, type TestApi } from '../../api/support/test-api.js';

const FILES = Number(process.env.SCALE_FILES ?? 10_000);
/** Far more than it takes on a busy machine; work that grows with the square of the files takes longer. */
const LIMIT_MS = 120_000;

describe('the report on annotations of many files', () => {
  let api: TestApi;
  let tenantId: TenantId;
  const objects = Buffer.from(
    packObjects([{ classId: 0, flags: 0, values: 4, box: [0.1, 0.1, 0.5, 0.5], hull: [0.1, 0.1, 0.5, 0.5] }]),
  );
  beforeAll(async () => {
    api = await startTestApi();
    tenantId = asTenantId((await api.addTenant()).id);
  });
  afterAll(() => api?.close());

  /** A dataset whose files were read just now: label files at `labelPath(n)`, images at `imagePath(n)`, as SQL of n. */
  async function dataset(
    labelPath: string,
    imagePath: string,
    refs: string,
    name: string,
    files = FILES,
  ): Promise<string> {
    const id = randomUUID();
    await api.container.db.inTenant(tenantId, async (tx) => {
      await tx.execute("insert into dataset (id, tenant_id, key, name) values ($1, $2, $3, 'Many')", [
        id,
        tenantId,
        `many-${id}`,
      ]);
      const file = (
        path: string,
        kind: string,
        type: string,
      ) => `insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, status, width, height, phash, tones, likeness_version, split, added_revision)
        select $1, $2, ${path}, encode(sha256((${path})::bytea), 'hex'), 10, gen_random_uuid()::text, '${type}', '${kind}', 'valid', 100, 100, hashtextextended(${path}, 1), substring(decode(repeat(md5(n::text), 14), 'hex') for 216), ${LIKENESS_VERSION}, case when n % 5 = 0 then 'val' else 'train' end, 1
        from generate_series(1, ${files}) as n`;
      await tx.execute(file(imagePath, 'image', 'image/png'), [tenantId, id]);
      await tx.execute(file(labelPath, 'annotation', 'text/plain'), [tenantId, id]);
      await tx.execute(
        `insert into dataset_annotation_file (tenant_id, dataset_id, file_id, kind, image_count, object_count, orphan_count)
         select tenant_id, dataset_id, id, 'yolo', 1, 1, 0 from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'annotation'`,
        [tenantId, id],
      );
      await tx.execute(
        `insert into dataset_annotation (tenant_id, dataset_id, file_id, seq, refs, name, split, objects)
         select f.tenant_id, f.dataset_id, f.id, 0, array[${refs}], ${name}, f.split, $3 from generate_series(1, ${files}) as n
         join dataset_file f on f.tenant_id = $1 and f.dataset_id = $2 and f.path = ${labelPath}`,
        [tenantId, id, objects],
      );
    });
    return id;
  }

  async function timed(id: string) {
    const begin = performance.now();
    const report = await reportAnnotations(api.container.db, tenantId, id, new AbortController().signal);
    const took = performance.now() - begin;
    if (process.env.SHOW_TIMES) process.stdout.write(`${Math.round(took)} ms for ${FILES}\n`);
    expect(took).toBeLessThan(LIMIT_MS);
    return report.stats.annotations as Record<string, { count: number }>;
  }

  it('takes time in proportion to them where every label lies where it should', async () => {
    const stats = await timed(
      await dataset("'labels/' || n || '.txt'", "'images/' || n || '.png'", "'images/' || n", 'n::text'),
    );
    expect(stats).toMatchObject({
      matched: { count: FILES },
      images_without_annotation: { count: 0 },
      objects: FILES,
    });
  }, 240_000);

  it('is read in pages that end early where entries are large', async () => {
    const id = await dataset(
      "'labels/' || n || '.txt'",
      "'images/' || n || '.png'",
      "'images/' || n",
      'n::text',
      7,
    );
    await api.container.db.inTenant(tenantId, (tx) =>
      tx.execute(
        "update dataset_annotation set objects = $2, match = 'matched', image_id = file_id where dataset_id = $1",
        [id, Buffer.alloc(3 * 2 ** 20)],
      ),
    );
    const sizes: number[] = [];
    let after: EntryPlace | null = null;
    const next = () => api.container.db.inTenant(tenantId, (tx) => entryPage(tx, id, after, 200));
    for (let page = await next(); sizes.push(page.length) && page.length > 0; page = await next())
      after = page.at(-1)?.place ?? null;
    expect(sizes).toEqual([3, 3, 1, 0]);
  });

  it('and where only names match', async () => {
    const stats = await timed(
      await dataset("'marks/' || n || '.txt'", "'pictures/' || n || '.png'", "'marks/' || n", 'n::text'),
    );
    expect(stats).toMatchObject({ matched: { count: FILES } });
  }, 240_000);

  it('and where only the folders tell images of one name apart', async () => {
    const stats = await timed(
      await dataset(
        "'marks/' || n || '/a.txt'",
        "'pictures/' || n || '/a.png'",
        "'marks/' || n || '/a'",
        "n || '/a'",
      ),
    );
    expect(stats).toMatchObject({ matched: { count: FILES }, ambiguous_stem: { count: 0 } });
  }, 240_000);

  it('and where all images have one name in folders of their own', async () => {
    const stats = await timed(
      await dataset(
        "'marks/' || n || '/a.txt'",
        "'pictures/' || n || '/a.png'",
        "'marks/' || n || '/a'",
        "'a'",
      ),
    );
    expect(stats).toMatchObject({
      ambiguous_stem: { count: FILES },
      images_without_annotation: { count: FILES },
    });
  }, 240_000);
});
