import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { asTenantId } from '../../../core/security/ids.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

describe('the audit trail', () => {
  let api: TestApi;
  let tenant: TestTenant;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    await add(3, {
      tenant_id: tenant.id,
      action: 'dataset.create',
      actor_email: 'ann@example.com',
      actor_name: 'Ann Lee',
      target_kind: 'dataset',
      target_id: 'parts-1',
      target_label: 'Parts',
    });
    await add(2, {
      tenant_id: tenant.id,
      action: 'dataset.delete',
      actor_email: 'bob@example.com',
      actor_name: 'Bob',
      target_kind: 'dataset',
      target_id: 'parts-2',
      target_label: '=HYPERLINK("x")',
    });
    await add(1, {
      tenant_id: null,
      action: 'data_set',
      actor_email: 'bob@example.com',
      actor_name: 'Bob',
      target_kind: 'x',
      target_id: 'x%',
      target_label: null,
    });
  });
  afterAll(() => api.close());

  const add = (count: number, row: Record<string, string | null>) =>
    api.container.db.inPlatform((tx) => {
      const names = Object.keys(row);
      return tx.execute(
        `insert into audit_entry (${names.join(', ')}) select ${names.map((_, i) => `$${i + 1}${names[i] === 'tenant_id' ? '::uuid' : ''}`).join(', ')} from generate_series(1, ${count})`,
        Object.values(row),
      );
    });
  /** @returns how many rows */
  const asOwner = async (sql: string): Promise<number> => {
    const owner = new pg.Client({ connectionString: api.database.ownerUrl });
    await owner.connect();
    try {
      return (await owner.query(sql)).rowCount ?? 0;
    } finally {
      await owner.end();
    }
  };
  const list = (query: string) =>
    api.call('GET', `/api/v1/system/audit?${query}`, { token: api.admin.token });
  const total = async (query: string) => {
    const { status, body } = await list(query);
    expect([status, query]).toEqual([200, query]);
    return body.total as number;
  };

  it('answers entries newest first with actor, target and tenant code', async () => {
    const { body } = await list('action=dataset.&page_size=2');
    expect(body).toMatchObject({ total: 5, page: 1, page_size: 2 });
    expect(body.items[0]).toMatchObject({
      action: 'dataset.delete',
      tenant_code: tenant.code,
      actor: { email: 'bob@example.com', full_name: 'Bob' },
      target: { kind: 'dataset', id: 'parts-2' },
      outcome: 'success',
    });
    expect(Number(body.items[0].id)).toBeGreaterThan(Number(body.items[1].id));
    expect(body.items[0].created_at).toBe(body.items[0].at);
    expect((await list('action=dataset.&page_size=2&page=3')).body.items).toHaveLength(1);
    expect((await list('action=dataset.&page_size=2&page=9')).body).toMatchObject({ items: [], total: 5 });
  });

  it('filters by prefix, tenant, actor, target and time, and by all at once', async () => {
    expect(await total('action=data_')).toBe(1);
    expect(await total('action=ataset')).toBe(0);
    expect(await total(`tenant=${tenant.code.toUpperCase()}&action=dataset.`)).toBe(5);
    expect(await total('tenant=nowhere')).toBe(0);
    expect(await total('actor=ann')).toBe(3);
    expect(await total('actor=LEE')).toBe(3);
    expect(await total('target=parts')).toBe(5);
    expect(await total('target=x%25')).toBe(1);
    expect(
      await total(`target=${encodeURIComponent(api.admin.email.toUpperCase())}&action=user.create`),
    ).toBe(1);
    expect(await total(`actor=bob&tenant=${tenant.code}&action=dataset.&target=HYPER`)).toBe(2);
  });

  it('counts both ends of a time span', async () => {
    const { body } = await list('action=dataset.&page_size=5');
    const [newest, oldest] = [body.items[0].at as string, body.items[4].at as string];
    expect(await total(`action=dataset.&since=${oldest}&until=${newest}`)).toBe(5);
    expect(await total(`action=dataset.&since=${encodeURIComponent('2001-01-01T00:00:00+02:00')}`)).toBe(5);
    expect(await total('action=dataset.&until=2001-01-01')).toBe(0);
    expect((await list('since=yesterday')).body.detail[0].loc).toEqual(['query', 'since']);
    expect((await list('since=2025-02-31')).status).toBe(422);
  });

  it('keeps the total exact while writers are under way', async () => {
    const start = await total('action=race.');
    await Promise.all(
      Array.from({ length: 8 }, () =>
        add(25, { tenant_id: null, action: 'race.run', target_kind: 'x', target_id: 'x' }),
      ),
    );
    expect(await total('action=race.')).toBe(start + 200);
  });

  it('gives the total exactly up to 10,000 and says where there are more', async () => {
    const row = { tenant_id: null, action: 'many.rows', target_kind: 'x', target_id: 'x' };
    await add(10_000, row);
    const all = 'action=many.&page_size=50';
    expect((await list(`${all}&page=200`)).body).toMatchObject({
      total: 10_000,
      total_capped: false,
      next: null,
    });
    expect((await list(`${all}&page=201`)).body).toMatchObject({
      items: [],
      total: 10_000,
      total_capped: false,
    });
    await add(1, row);
    expect((await list(all)).body).toMatchObject({
      total: 10_000,
      total_capped: true,
      page: 1,
      page_size: 50,
    });
    const last = (await list(`${all}&page=200`)).body;
    expect([last.items.length, last.total_capped, typeof last.next]).toEqual([50, true, 'string']);
    const beyond = await list(`${all}&page=201`);
    expect([beyond.status, beyond.body.detail[0].loc]).toEqual([422, ['query', 'page']]);
    expect(beyond.body.detail[0].msg).toContain('after');
    expect((await list('action=dataset.&page_size=50&page=201')).body).toMatchObject({ items: [], total: 5 });
  });

  it('goes on with `after` beyond the numbered pages, to the end', async () => {
    const cut = (await list('action=many.&page_size=150&page=67')).body;
    expect(cut.items).toHaveLength(100);
    const rest = (await list(`action=many.&page_size=150&after=${cut.next}`)).body;
    expect([rest.items.length, rest.total, rest.total_capped, rest.next]).toEqual([1, 10_000, true, null]);
    expect(Number(rest.items[0].id)).toBeLessThan(Number(cut.items[99].id));
  });

  it('goes on with `after` through entries of one moment, each once, while others come', async () => {
    const row = { tenant_id: null, action: 'paged.rows', target_kind: 'x', target_id: 'x' };
    await add(7, row);
    const seen: string[] = [];
    let after = '';
    for (let pages = 0; pages < 4; pages += 1) {
      const { body } = await list(`action=paged.&page_size=3${after}`);
      seen.push(...body.items.map(({ id }: { id: string }) => id));
      if (body.next === null) break;
      after = `&after=${body.next}`;
      await add(1, row);
    }
    expect([seen.length, new Set(seen).size]).toEqual([7, 7]);
  });

  it('refuses an `after` that is none, and one beside a page', async () => {
    for (const after of [
      'x',
      Buffer.from('[1]').toString('base64url'),
      Buffer.from('["1",2]').toString('base64url'),
    ]) {
      const { status, body } = await list(`after=${after}`);
      expect([status, body.detail[0].loc]).toEqual([422, ['query', 'after']]);
    }
    const { next } = (await list('action=dataset.&page_size=2')).body;
    expect((await list(`action=dataset.&after=${next}`)).status).toBe(200);
    expect((await list(`action=dataset.&after=${next}&page=2`)).body.detail[0].loc).toEqual([
      'query',
      'after',
    ]);
  });

  it('exports all matches as CSV with formula cells defused', async () => {
    const answer = await list('action=dataset.&format=csv&page=2&page_size=1');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="audit.csv"');
    const rows = parse(answer.text, { columns: true, record_delimiter: '\r\n' }) as Array<
      Record<string, string>
    >;
    expect(rows.length).toBe(await total('action=dataset.'));
    expect(rows.find((row) => row.target_id === 'parts-2')?.target_label).toBe('\'=HYPERLINK("x")');
    expect((await list('format=xml')).status).toBe(422);
  });

  it('exports more than one batch of rows of the same moment, each once', async () => {
    const row = { tenant_id: null, action: 'same.moment', target_kind: 'x', target_id: 'x' };
    await asOwner("select create_partitions('audit_entry', 'month', '2026-01-01Z', now())");
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        `insert into audit_entry (tenant_id, at, action, target_kind, target_id) select $1::uuid, '2026-01-01T00:00:00.123456Z', $2, $3, $4 from generate_series(1, 1234)`,
        Object.values(row),
      ),
    );
    const rows = parse((await list('action=same.moment&format=csv')).text, { columns: true }) as Array<
      Record<string, string>
    >;
    expect([rows.length, new Set(rows.map(({ id }) => id)).size]).toEqual([1234, 1234]);
    const ids = rows.map(({ id }) => Number(id));
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
  });

  it('keeps the total of a filter exact while rows come and are removed', async () => {
    const other = await api.addTenant();
    const row = {
      tenant_id: other.id,
      action: 'kept.total',
      actor_email: 'zoe@example.com',
      target_kind: 'x',
      target_id: 'x',
    };
    const expected: number[] = [];
    const seen: number[] = [];
    let there = 0;
    for (let step = 0; step < 12; step += 1) {
      if (step % 4 === 3)
        there -= await asOwner(
          "delete from audit_entry where id in (select id from audit_entry where action = 'kept.total' limit 2)",
        );
      else {
        await add(step + 1, row);
        there += step + 1;
      }
      expected.push(there, there);
      seen.push(await total('actor=zoe'), await total(`actor=zoe&tenant=${other.code}&since=2026-01-01`));
    }
    expect(seen).toEqual(expected);
  });

  it('goes through the months in order, newest first, and finds each by its time', async () => {
    await asOwner("select create_partitions('audit_entry', 'month', '2025-06-01Z', now())");
    const times = [
      '2025-06-01T00:00:00Z',
      '2025-08-31T23:59:59.999999Z',
      '2025-09-01T00:00:00Z',
      '2025-12-24Z',
    ];
    for (const [n, at] of times.entries())
      await asOwner(
        `insert into audit_entry (at, action, target_kind, target_id) select '${at}', 'months.${n}', 'x', 'x' from generate_series(1, 3)`,
      );
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const { body } = await list(`action=months.&page_size=5${after}`);
      seen.push(
        ...body.items.map(({ action, id }: Record<string, string>) => `${action} ${id?.padStart(9, '0')}`),
      );
      if (body.next === null) break;
      after = `&after=${body.next}`;
    }
    expect(seen).toHaveLength(12);
    expect(seen).toEqual([...seen].sort().reverse());
    expect(await total('action=months.&since=2025-08-31&until=2025-09-01T00:00:00Z')).toBe(6);
    expect(await total('action=months.&until=2025-06-30')).toBe(3);
  });

  it('lists distinct actions by name, of one tenant when asked', async () => {
    const of = async (query: string) =>
      (await api.call('GET', `/api/v1/system/audit/actions${query}`, { token: api.admin.token })).body;
    const all = await of('');
    expect(all.items).toEqual([...all.items].sort());
    expect(all.items).toEqual(
      expect.arrayContaining(['data_set', 'dataset.create', 'tenant.create', 'user.create']),
    );
    expect(await of(`?tenant=${tenant.code}`)).toEqual({
      items: ['dataset.create', 'dataset.delete', 'tenant.create'],
      total: 3,
    });
    expect(await of('?tenant=nowhere')).toEqual({ items: [], total: 0 });
  });

  it('cannot be changed by the roles that serve, nor can its seals', async () => {
    const roles = [
      (sql: string) => api.container.db.inPlatform((tx) => tx.execute(sql)),
      (sql: string) => api.container.db.inTenant(asTenantId(tenant.id), (tx) => tx.execute(sql)),
    ];
    for (const execute of roles)
      for (const statement of [
        "update audit_entry set action = 'x'",
        'delete from audit_entry',
        'truncate audit_entry',
        "update audit_seal set seal = 'x'",
        'delete from audit_seal',
      ])
        await expect(execute(statement)).rejects.toMatchObject({ code: '42501' });
  });
});
