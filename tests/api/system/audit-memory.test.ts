import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { AuditService, type AuditRequest } from '../../../api/system/audit.service.js';
import { countFinishedEntries } from '../../../models/audit/audit-count.commands.js';
import { AuditMemory } from '../../../models/audit/audit-memory.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

const EVERYTHING: AuditRequest = { actionPrefix: null, tenantCode: null, since: null, until: null, actor: null, target: null };
const FIRST = Date.parse('2026-03-01T00:00:00.000Z');

describe('the audit trail in memory', () => {
  let api: TestApi;
  let tenants: TestTenant[];
  let owner: pg.Client;
  beforeAll(async () => {
    api = await startTestApi();
    tenants = [await api.addTenant(), await api.addTenant()];
    owner = new pg.Client({ connectionString: api.database.ownerUrl });
    await owner.connect();
  });
  afterAll(async () => {
    await owner.end();
    await api.close();
  });

  const { signal } = new AbortController();
  const follow = (memory: AuditMemory) => memory.follow((work) => api.container.db.inPlatform(work), signal);
  const service = (memory: AuditMemory) => new AuditService(api.container.db, memory);
  const ask = async (trail: AuditService, request: AuditRequest, page = 1) => {
    const found = await trail.page(request, { page, page_size: 7 });
    return { total: found.total, ids: found.items.map(({ id }) => id) };
  };
  const read = (memory: AuditMemory, request: AuditRequest) => ask(service(memory), request);
  const isAsked = async (memory: AuditMemory) => (await api.container.db.inPlatform((tx) => memory.find(tx, { ...EVERYTHING, tenantId: null, hidden: [] }, 0, 1))) !== null;

  let seed = 11;
  const draw = (below: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % below;
  };
  const one = <T>(...of: T[]): T => of[draw(of.length)] as T;
  const add = (count: number) =>
    api.container.db.inPlatform(async (tx) => {
      for (let n = 0; n < count; n += 1)
        await tx.execute(
          `insert into audit_entry (tenant_id, at, action, actor_email, actor_name, target_kind, target_id, target_label)
           values ($1, timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $3, $4, $5, 'x', $6, $7)`,
          [
            one(null, tenants[0]?.id, tenants[1]?.id),
            FIRST * 1000 + draw(40) * 500,
            one('data.a', 'data.b', 'data_c', 'Data.d'),
            one(null, 'ÄNN@x.org', 'bob@x.org'),
            one(null, 'Änn İğ', 'Bob_by'),
            one('T-1', 'T%2', 't\\3', `u${draw(30)}`),
            one(null, 'Straße', 'ΣΊΣΥΦΟΣ', 'Bob'),
          ],
        );
    });
  const anyRequest = (): AuditRequest => ({
    actionPrefix: one(null, null, 'data.', 'data_', 'Data', 'a'),
    tenantCode: one(null, null, tenants[0]?.code as string, tenants[1]?.code as string),
    since: one(null, null, new Date(FIRST + draw(22))),
    until: one(null, null, new Date(FIRST + draw(22))),
    actor: one(null, null, 'änn', 'BOB', '_', 'x.orgÄ', 'i̇'),
    target: one(null, null, 't', '%', '\\', 'SS', 'ß', 'σίσυφος', 'u1', '1Bob'),
  });

  it('answers what the database answers, whatever is asked, while entries come and go', async () => {
    const memory = new AuditMemory();
    await follow(memory);
    // Never read in, and kept for as long as the test: it remembers its own totals.
    const byDatabase = service(new AuditMemory());
    const seen = new Set<number>();
    for (let step = 0; step < 12; step += 1) {
      await add(20);
      if (step % 3 === 1) await api.container.db.inPlatform(countFinishedEntries);
      if (step % 4 === 3) await owner.query('delete from audit_entry where id in (select id from audit_entry where at < $1 order by random() limit 9)', [new Date(FIRST + 20)]);
      for (let asked = 0; asked < 25; asked += 1) {
        const [request, page] = [anyRequest(), one(1, 1, 2, 9)];
        const answer = await ask(service(memory), request, page);
        expect([request, page, answer]).toEqual([request, page, await ask(byDatabase, request, page)]);
        seen.add(answer.total);
      }
    }
    expect([await isAsked(memory), seen.size > 20]).toEqual([true, true]);
  });

  it('hides what a tenant keeps no longer', async () => {
    const memory = new AuditMemory();
    await follow(memory);
    const before = await read(memory, EVERYTHING);
    await owner.query(`update tenant set retention = '{"audit": 1}' where id = $1`, [tenants[0]?.id]);
    const after = await read(memory, EVERYTHING);
    expect(after).toEqual(await read(new AuditMemory(), EVERYTHING));
    expect(after.total).toBeLessThan(before.total);
    await owner.query(`update tenant set retention = '{}' where id = $1`, [tenants[0]?.id]);
  });

  it('counts an entry once its transaction has ended, however long that took and whatever ended meanwhile', async () => {
    const memory = new AuditMemory();
    await follow(memory);
    const late = { ...EVERYTHING, actionPrefix: 'late.' };
    const slow = new pg.Client({ connectionString: api.container.settings.DATABASE_PLATFORM_URL });
    await slow.connect();
    try {
      const insert = "insert into audit_entry (action, target_kind, target_id) values ('late.x', 'x', 'x')";
      await slow.query('begin');
      await slow.query(insert);
      const totals: number[] = [];
      for (let n = 0; n < 3; n += 1) {
        await api.container.db.inPlatform((tx) => tx.execute(insert));
        totals.push((await read(memory, late)).total, (await read(memory, late)).total);
      }
      await slow.query('commit');
      totals.push((await read(memory, late)).total, (await read(memory, late)).total);
      expect(totals).toEqual([1, 1, 2, 2, 3, 3, 4, 4]);
    } finally {
      await slow.end();
    }
  });

  it('takes in each entry once when many ask at the same time', async () => {
    const memory = new AuditMemory();
    await follow(memory);
    const crowd = { ...EVERYTHING, actionPrefix: 'crowd.' };
    const insert = () =>
      api.container.db.inPlatform((tx) => tx.execute("insert into audit_entry (action, target_kind, target_id) select 'crowd.x', 'x', 'x' from generate_series(1, 50)"));
    await Promise.all(Array.from({ length: 12 }, (_, n) => (n % 3 === 0 ? insert() : n % 3 === 1 ? read(memory, crowd) : follow(memory))));
    expect((await read(memory, crowd)).total).toBe(200);
    expect(await isAsked(memory)).toBe(true);
  });

  it('reads all again where removals are not written down any more, and gives up where the trail is too long', async () => {
    const memory = new AuditMemory();
    await follow(memory);
    await owner.query("delete from audit_entry where action = 'crowd.x' and id in (select id from audit_entry where action = 'crowd.x' limit 3)");
    await owner.query('alter table audit_removal no force row level security');
    await owner.query('delete from audit_removal');
    expect((await read(memory, EVERYTHING)).total).toBe((await read(new AuditMemory(), EVERYTHING)).total);
    expect(await isAsked(memory)).toBe(false);
    await follow(memory);
    expect(await isAsked(memory)).toBe(true);
    const small = new AuditMemory(10);
    await api.container.db.inPlatform((tx) => tx.execute("insert into audit_count (action, row_count) values ('many', 11) on conflict do nothing"));
    await follow(small);
    expect(await isAsked(small)).toBe(false);
  });
});
