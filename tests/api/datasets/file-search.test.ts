import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { DatasetKit } from './support/dataset-kit.js';
import { openDatasetKit, type OpenKit } from './support/open-dataset-kit.js';

/** More than a search sorts. */
const FILES = 12_345;

describe('a search for a part of the names of files', () => {
  let lab: OpenKit;
  let api: OpenKit['api'];
  let kit: DatasetKit;
  let dataset: string;
  beforeAll(async () => {
    lab = await openDatasetKit();
    ({ api, kit } = lab);
    dataset = await kit.draft('Searched');
    await seed(0, FILES);
  });
  afterAll(() => lab?.close());

  const seed = (from: number, count: number) =>
    kit.query(
      `with files as (
         insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, status, added_revision, created_at)
         select d.tenant_id, d.id, 'Folder_' || n % 7 || '/' || md5(n::text) || '.png', repeat('0', 64), (n * 7919) % 1000, 'k', 'image/png',
           case n % 3 when 0 then 'image' else 'other' end, case n % 2 when 0 then 'valid' else 'pending' end, 1, now() - make_interval(secs => n % 97)
         from dataset d, generate_series($2::int, $2::int + $3::int - 1) as n where d.tenant_id = $4 and d.key = $1 returning 1)
       update dataset set file_count = file_count + $3::int, revision = revision + 1 where tenant_id = $4 and key = $1`,
      [dataset, from, count, kit.tenant.id],
    );
  /** The same by a plain scan. */
  const expected = async (part: string, order: string, page: number, more = 'true') => {
    const found = await kit.query<{ path: string }>(
      `select f.path from dataset_file f join dataset d on d.id = f.dataset_id
       where d.tenant_id = $1 and d.key = $2 and position(lower($3) in lower(f.path)) > 0 and ${more} order by ${order}`,
      [kit.tenant.id, dataset, part],
    );
    return { total: found.length, paths: found.slice(50 * (page - 1), 50 * page).map(({ path }) => path) };
  };
  const listed = async (query: string) => {
    const { status, body } = await kit.call('GET', `/${dataset}/files?${query}`);
    expect(status).toBe(200);
    return { total: body.total as number, paths: body.items.map((file: { path: string }) => file.path) as string[] };
  };

  it.each(['fa3', 'FOLDER_3', 'e', 'zq', 'PNG', 'folder'])('finds all of "%s", in every order', async (part) => {
    for (const page of [1, 2, 30, 240, 10_000]) expect(await listed(`q=${part}&page=${page}`)).toEqual(await expected(part, 'f.path', page));
    expect(await listed(`q=${part}&order=desc`)).toEqual(await expected(part, 'f.path desc', 1));
    for (const sort of ['created_at', 'size_bytes']) expect(await listed(`q=${part}&sort=${sort}&page=2`)).toEqual(await expected(part, `f.${sort}, f.id`, 2));
  });

  it.each(['', 'q=png&'])('counts what filters leave once for each revision, and always while a validation may change it: %s', async (search) => {
    const total = async () => (await listed(`${search}kind=image&page_size=10`)).total;
    const mark = (kind: string) =>
      kit.query('update dataset_file set kind = $2 where tenant_id = $1 and path = (select min(path) from dataset_file where tenant_id = $1)', [kit.tenant.id, kind]);
    const settle = (status: string, more = 0) => kit.query('update dataset set status = $2, revision = revision + $3 where tenant_id = $1', [kit.tenant.id, status, more]);
    await mark('image');
    await settle('FROZEN', 1);
    const before = await total();
    await mark('other');
    expect(await total()).toBe(before);
    await settle('FROZEN', 1);
    expect(await total()).toBe(before - 1);
    // What is asked for meanwhile is not kept for afterwards: the end of a validation raises no revision.
    for (const status of ['DRAFT', 'VALIDATING']) {
      await settle(status, 1);
      expect(await total()).toBe(before - 1);
      await mark('image');
      await settle('FAILED');
      expect(await total()).toBe(before);
      await settle('FROZEN', 1);
      await mark('other');
    }
  });

  it.each(['origin=upload', 'q=png&origin=upload', 'q=FOLDER_'])('finds pages deep in %s, both ways', async (query) => {
    for (const order of ['asc', 'desc'])
      for (const page of [240, 41, 246, 247, 248]) expect(await listed(`${query}&order=${order}&page=${page}`)).toEqual(await expected('', `f.path ${order}`, page));
  });

  it('answers the pages of a list that was asked for before as the first time', async () => {
    for (const query of ['q=fa3', 'q=e&sort=size_bytes', 'kind=image', 'origin=upload&sort=created_at']) {
      const pages = [1, 20, 3, 21].map((page) => `${query}&page=${page}`);
      const [first, again] = [await Promise.all(pages.map(listed)), await Promise.all(pages.map(listed))];
      expect(again).toEqual(first);
      expect(new Set(first.map(({ total }) => total)).size).toBe(1);
    }
  });

  it.each(['fa3', 'png'])('finds of "%s" what the filters leave', async (part) => {
    for (const filter of ['kind', 'status']) {
      const value = filter === 'kind' ? 'image' : 'valid';
      expect(await listed(`q=${part}&${filter}=${value}&page=2`)).toEqual(await expected(part, 'f.path', 2, `f.${filter} = '${value}'`));
    }
    expect(await listed(`q=${part}&origin=sync`)).toEqual({ total: 0, paths: [] });
  });

  it('takes signs of patterns as they are', async () => {
    expect((await listed('q=Folder_1')).total).toBeGreaterThan(0);
    for (const part of ['Folder%251', '%25', 'r_1_', '%5C']) expect(await listed(`q=${part}`)).toEqual({ total: 0, paths: [] });
  });

  it('sees a change of files at once', async () => {
    await seed(FILES, 50);
    for (const part of ['png', 'fa3']) expect(await listed(`q=${part}`)).toEqual(await expected(part, 'f.path', 1));
  });

  it('finds nothing of another tenant', async () => {
    const other = new DatasetKit(api, await api.addTenant());
    const foreign = await other.draft('Foreign');
    expect((await other.call('GET', `/${foreign}/files?q=png`)).body.total).toBe(0);
    const [{ id } = { id: '' }] = await kit.query<{ id: string }>('select id from dataset where tenant_id = $1 and key = $2', [kit.tenant.id, dataset]);
    const reach = (tenant: string) =>
      api.container.db.inTenant(asTenantId(tenant), (tx) => tx.query<{ n: number }>("select count(*) as n from search_dataset_file($1, '%png%', 5)", [id])).then(([row]) => row?.n);
    expect([await reach(other.tenant.id), await reach(kit.tenant.id)]).toEqual([0, 5]);
  });
});
