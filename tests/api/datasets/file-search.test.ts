import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { DatasetKit } from './support/dataset-kit.js';
import { openDatasetKit, type OpenKit } from './support/open-dataset-kit.js';

/** More than a search counts. */
const FILES = 12_345;
const COUNTED = 10_000;

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
    return {
      total: Math.min(found.length, COUNTED),
      isCapped: found.length > COUNTED,
      paths: found.slice(50 * (page - 1), 50 * page).map(({ path }) => path),
    };
  };
  const listed = async (query: string) => {
    const { status, body } = await kit.call('GET', `/${dataset}/files?${query}`);
    expect(status).toBe(200);
    return {
      total: body.total as number,
      isCapped: body.total_capped as boolean,
      paths: body.items.map((file: { path: string }) => file.path) as string[],
    };
  };

  it.each(['fa3', 'FOLDER_3', 'e', 'zq', 'PNG', 'folder'])(
    'finds all of "%s", in every order',
    async (part) => {
      for (const page of [1, 2, 30, 200])
        expect(await listed(`q=${part}&page=${page}`)).toEqual(await expected(part, 'f.path', page));
      expect(await listed(`q=${part}&order=desc`)).toEqual(await expected(part, 'f.path desc', 1));
      for (const sort of ['created_at', 'size_bytes'])
        expect(await listed(`q=${part}&sort=${sort}&page=2`)).toEqual(
          await expected(part, `f.${sort}, f.id`, 2),
        );
    },
  );

  it.each(['q=png', 'kind=other&q=png', 'origin=upload'])(
    'refuses numbered pages beyond what it counts of %s, and names the way on',
    async (query) => {
      const last = await kit.call('GET', `/${dataset}/files?${query}&page=200`);
      const isMore = query !== 'kind=other&q=png';
      expect([last.status, last.body.total_capped]).toEqual([200, isMore]);
      const beyond = await kit.call('GET', `/${dataset}/files?${query}&page=201`);
      if (isMore) {
        expect([beyond.status, beyond.body.detail[0].loc]).toEqual([422, ['query', 'page']]);
        expect(beyond.body.detail[0].msg).toContain('after');
        const rest = await kit.call('GET', `/${dataset}/files?${query}&after=${last.body.next}`);
        expect([rest.status, rest.body.items.length, rest.body.total]).toEqual([200, 50, COUNTED]);
      } else expect([beyond.status, beyond.body.items]).toEqual([200, []]);
    },
  );

  it.each([
    ['q=png', 'path', 'asc'],
    ['q=png', 'created_at', 'desc'],
    ['q=fa3', 'path', 'desc'],
    ['q=fa3', 'size_bytes', 'asc'],
    ['q=FOLDER_&kind=image', 'path', 'desc'],
    ['origin=upload', 'size_bytes', 'desc'],
    ['', 'path', 'desc'],
    ['', 'created_at', 'asc'],
  ])(
    'goes on with after to the last match of "%s" by %s %s, and says where it ends',
    async (query, sort, order) => {
      const asked = new URLSearchParams(query);
      const all = await kit.query<{ path: string }>(
        `select f.path from dataset_file f join dataset d on d.id = f.dataset_id
       where d.tenant_id = $1 and d.key = $2 and position($3 in lower(f.path)) > 0 and ($4 = '' or f.kind = $4)
       order by f.${sort} ${order}, f.id ${order}`,
        [kit.tenant.id, dataset, asked.get('q')?.toLowerCase() ?? '', asked.get('kind') ?? ''],
      );
      const seen: string[] = [];
      for (let after: string | null = ''; after !== null; ) {
        const page = `sort=${sort}&order=${order}&page_size=200${after && `&after=${after}`}`;
        const { status, body } = await kit.call('GET', `/${dataset}/files?${query}&${page}`);
        expect(status).toBe(200);
        seen.push(...body.items.map((file: { path: string }) => file.path));
        after = body.next;
      }
      expect(seen).toEqual(all.map(({ path }) => path));
    },
  );

  it('refuses an after that is of another list, or of none', async () => {
    const { body } = await kit.call('GET', `/${dataset}/files?sort=size_bytes`);
    for (const query of [
      `after=${body.next}`,
      `after=${body.next}&sort=size_bytes&page=2`,
      'after=WyJwYXRoIiwxLDJd',
      'after=x',
      `after=${Buffer.from('["path","a\u0000","00000000-0000-0000-0000-000000000000"]').toString('base64url')}`,
    ]) {
      const refused = await kit.call('GET', `/${dataset}/files?${query}`);
      expect([query, refused.status, refused.body.detail?.[0].loc]).toEqual([query, 422, ['query', 'after']]);
    }
  });

  it.each(['', 'q=png&'])('counts what filters leave as it is now: %s', async (search) => {
    const total = async () => (await listed(`${search}kind=image&page_size=10`)).total;
    const mark = (kind: string) =>
      kit.query(
        'update dataset_file set kind = $2 where tenant_id = $1 and path = (select min(path) from dataset_file where tenant_id = $1)',
        [kit.tenant.id, kind],
      );
    await mark('image');
    const before = await total();
    await mark('other');
    expect(await total()).toBe(before - 1);
    await mark('image');
    expect(await total()).toBe(before);
  });

  it.each(['origin=upload', 'q=png&origin=upload', 'q=FOLDER_'])(
    'finds pages deep in %s, both ways',
    async (query) => {
      for (const order of ['asc', 'desc'])
        for (const page of [199, 41, 200])
          expect(await listed(`${query}&order=${order}&page=${page}`)).toEqual(
            await expected('', `f.path ${order}`, page),
          );
    },
  );

  it.each(['fa3', 'png'])('finds of "%s" what the filters leave', async (part) => {
    for (const filter of ['kind', 'status']) {
      const value = filter === 'kind' ? 'image' : 'valid';
      expect(await listed(`q=${part}&${filter}=${value}&page=2`)).toEqual(
        await expected(part, 'f.path', 2, `f.${filter} = '${value}'`),
      );
    }
    expect(await listed(`q=${part}&origin=sync`)).toEqual({ total: 0, isCapped: false, paths: [] });
  });

  it('finds a name however its letters with accents are composed, in the case that they have', async () => {
    const id = await kit.draft('Accents');
    for (const path of ['M\u00fcller/e\u0301t\u00e9.png', 'other.png'])
      expect((await kit.upload(id, path, Buffer.from('no picture'))).status).toBe(201);
    const found = async (query: Record<string, string>) => {
      const { body } = await kit.call('GET', `/${id}/files?${new URLSearchParams(query)}`);
      return body.items.map(({ path }: { path: string }) => path);
    };
    const all = ['M\u00fcller/\u00e9t\u00e9.png'];
    for (const q of ['m\u00fcller', 'mu\u0308ller', '\u00e9t\u00e9', 'e\u0301te\u0301', 'R/e\u0301T'])
      expect({ q, found: await found({ q }) }).toEqual({ q, found: all });
    expect(await found({ q: '\u00c9t\u00e9' })).toEqual([]);
  });

  it('takes signs of patterns as they are', async () => {
    expect((await listed('q=Folder_1')).total).toBeGreaterThan(0);
    for (const part of ['Folder%251', '%25', 'r_1_', '%5C'])
      expect(await listed(`q=${part}`)).toEqual({ total: 0, isCapped: false, paths: [] });
  });

  it('sees a change of files at once', async () => {
    await seed(FILES, 50);
    for (const part of ['png', 'fa3'])
      expect(await listed(`q=${part}`)).toEqual(await expected(part, 'f.path', 1));
  });

  it('finds nothing of another tenant', async () => {
    const other = new DatasetKit(api, await api.addTenant());
    const foreign = await other.draft('Foreign');
    expect((await other.call('GET', `/${foreign}/files?q=png`)).body.total).toBe(0);
    const [{ id } = { id: '' }] = await kit.query<{ id: string }>(
      'select id from dataset where tenant_id = $1 and key = $2',
      [kit.tenant.id, dataset],
    );
    const reach = (tenant: string) =>
      api.container.db
        .inTenant(asTenantId(tenant), (tx) =>
          tx.query<{ n: number }>("select count(*) as n from search_dataset_file($1, '%png%', 5)", [id]),
        )
        .then(([row]) => row?.n);
    expect([await reach(other.tenant.id), await reach(kit.tenant.id)]).toEqual([0, 5]);
  });
});
