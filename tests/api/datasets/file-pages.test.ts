import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DatasetKit } from './support/dataset-kit.js';
import { openDatasetKit, type OpenKit } from './support/open-dataset-kit.js';

const FILES = 4321;

describe('pages deep in the list of files', () => {
  let lab: OpenKit;
  let kit: DatasetKit;
  let dataset: string;
  beforeAll(async () => {
    lab = await openDatasetKit();
    kit = lab.kit;
    dataset = await kit.draft('Deep');
    await seed(0, FILES);
  });
  afterAll(() => lab?.close());

  const seed = (from: number, count: number) =>
    kit.query(
      `with files as (
         insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, added_revision, created_at)
         select d.tenant_id, d.id, 'f/' || md5(n::text), repeat('0', 64), (n * 7919) % 1000, 'k', 'text/plain', 'other', 1, now() - make_interval(secs => n % 97)
         from dataset d, generate_series($2::int, $2::int + $3::int - 1) as n where d.tenant_id = $4 and d.key = $1 returning 1)
       update dataset set file_count = file_count + $3::int, revision = revision + 1 where tenant_id = $4 and key = $1`,
      [dataset, from, count, kit.tenant.id],
    );
  const expected = async (order: string, page: number, size: number) =>
    (
      await kit.query<{ path: string }>(
        `select f.path from dataset_file f join dataset d on d.id = f.dataset_id where d.tenant_id = $1 and d.key = $2 order by ${order} limit ${size} offset ${(page - 1) * size}`,
        [kit.tenant.id, dataset],
      )
    ).map(({ path }) => path);
  const listed = async (query: string) => {
    const { body } = await kit.call('GET', `/${dataset}/files?${query}`);
    return {
      total: body.total as number,
      paths: body.items.map((file: { path: string }) => file.path) as string[],
    };
  };

  it.each(['asc', 'desc'])('are those of a plain list, by path %s', async (order) => {
    for (const page of [1, 40, 41, 60, 61, 86, 87, 88, 10_000])
      expect(await listed(`order=${order}&page=${page}`)).toEqual({
        total: FILES,
        paths: await expected(`f.path ${order}`, page, 50),
      });
    expect((await listed(`order=${order}&page=22&page_size=200`)).paths).toEqual(
      await expected(`f.path ${order}`, 22, 200),
    );
  });

  it.each(['created_at', 'size_bytes'])('are those of a plain list, by %s', async (sort) => {
    for (const order of ['asc', 'desc'])
      expect((await listed(`sort=${sort}&order=${order}&page=70`)).paths).toEqual(
        await expected(`f.${sort} ${order}, f.id ${order}`, 70, 50),
      );
  });

  it('follow a change of files', async () => {
    await seed(FILES, 1500);
    expect(await listed('page=100')).toEqual({
      total: FILES + 1500,
      paths: await expected('f.path asc', 100, 50),
    });
  });
});
