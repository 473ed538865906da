import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countFinishedEntries } from '../../../models/audit/audit-count.commands.js';
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
    await add(1, { tenant_id: null, action: 'data_set', actor_email: 'bob@example.com', actor_name: 'Bob', target_kind: 'x', target_id: 'x%', target_label: null });
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
  const list = (query: string) => api.call('GET', `/api/v1/system/audit?${query}`, { token: api.admin.token });
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
    expect(await total(`target=${encodeURIComponent(api.admin.email.toUpperCase())}&action=user.create`)).toBe(1);
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

  it('counts the same before and after entries are summed up', async () => {
    const before = await total('page_size=1');
    await api.container.db.inPlatform(countFinishedEntries);
    expect(await total('page_size=1')).toBe(before);
    await add(4, { tenant_id: tenant.id, action: 'dataset.create', target_kind: 'dataset', target_id: 'late' });
    expect(await total('page_size=1')).toBe(before + 4);
    await api.container.db.inPlatform(countFinishedEntries);
    for (let asked = 0; asked < 2; asked += 1) expect([asked, await total(`tenant=${tenant.code}&action=dataset.c`)]).toEqual([asked, 7]);
  });

  it('keeps the total exact while writers are under way', async () => {
    const start = await total('action=race.');
    const writers = Array.from({ length: 8 }, () => add(25, { tenant_id: null, action: 'race.run', target_kind: 'x', target_id: 'x' }));
    const counters = Array.from({ length: 8 }, () => api.container.db.inPlatform(countFinishedEntries));
    await Promise.all([...writers, ...counters]);
    expect(await total('action=race.')).toBe(start + 200);
    await api.container.db.inPlatform(countFinishedEntries);
    expect(await total('action=race.')).toBe(start + 200);
  });

  it('exports all matches as CSV with formula cells defused', async () => {
    const answer = await list('action=dataset.&format=csv&page=2&page_size=1');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="audit.csv"');
    const rows = parse(answer.text, { columns: true, record_delimiter: '\r\n' }) as Array<Record<string, string>>;
    expect(rows.length).toBe(await total('action=dataset.'));
    expect(rows.find((row) => row.target_id === 'parts-2')?.target_label).toBe('\'=HYPERLINK("x")');
    expect((await list('format=xml')).status).toBe(422);
  });

  it('exports more than one batch of rows of the same moment, each once', async () => {
    const row = { tenant_id: null, action: 'same.moment', target_kind: 'x', target_id: 'x' };
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        `insert into audit_entry (tenant_id, at, action, target_kind, target_id) select $1::uuid, '2026-01-01T00:00:00.123456Z', $2, $3, $4 from generate_series(1, 1234)`,
        Object.values(row),
      ),
    );
    const rows = parse((await list('action=same.moment&format=csv')).text, { columns: true }) as Array<Record<string, string>>;
    expect([rows.length, new Set(rows.map(({ id }) => id)).size]).toEqual([1234, 1234]);
    const ids = rows.map(({ id }) => Number(id));
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
  });

  it('keeps the total of a filter exact while rows come, are summed up and are removed', async () => {
    const other = await api.addTenant();
    const row = { tenant_id: other.id, action: 'kept.total', actor_email: 'zoe@example.com', target_kind: 'x', target_id: 'x' };
    const owner = new pg.Client({ connectionString: api.database.ownerUrl });
    await owner.connect();
    try {
      const expected: number[] = [];
      const seen: number[] = [];
      let there = 0;
      for (let step = 0; step < 12; step += 1) {
        if (step % 4 === 3) there -= (await owner.query("delete from audit_entry where id in (select id from audit_entry where action = 'kept.total' limit 2)")).rowCount ?? 0;
        else {
          await add(step + 1, row);
          there += step + 1;
        }
        if (step % 3 === 1) await api.container.db.inPlatform(countFinishedEntries);
        expected.push(there, there);
        seen.push(await total('actor=zoe'), await total(`actor=zoe&tenant=${other.code}&since=2026-01-01`));
      }
      expect(seen).toEqual(expected);
    } finally {
      await owner.end();
    }
  });

  it('lists distinct actions by name, of one tenant when asked', async () => {
    const of = async (query: string) => (await api.call('GET', `/api/v1/system/audit/actions${query}`, { token: api.admin.token })).body;
    const all = await of('');
    expect(all.items).toEqual([...all.items].sort());
    expect(all.items).toEqual(expect.arrayContaining(['data_set', 'dataset.create', 'tenant.create', 'user.create']));
    expect(await of(`?tenant=${tenant.code}`)).toEqual({ items: ['dataset.create', 'dataset.delete', 'tenant.create'], total: 3 });
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
