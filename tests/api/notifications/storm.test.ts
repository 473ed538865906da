import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fanOut } from '../../../models/notifications/fan-out.platform.js';
import { messages } from '../../../models/notifications/messages.rules.js';
import { notifyAll } from '../../../models/notifications/notify.commands.js';
import {
  removeExcessNotifications,
  removeOldNotifications,
} from '../../../models/notifications/notification-retention.sql.js';
import { openSse } from '../support/sse-reader.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';
import { allTold, feed, startTelling, tell, unread, until } from './support/notify-loop.js';

const alert = (rule = 'HighErrorRate') =>
  messages.alertFired({
    id: randomUUID(),
    rule,
    severity: 'critical',
    summary: 'The error rate is above 5 %.',
  });
const invalid = (id: string) => messages.datasetInvalid({ id, name: id, createdBy: null });
const PACE = { settleS: 3600, windowS: 3600 };
const DAY_MS = 86_400_000;

describe('a storm of notifications', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let operator: TestUser;
  const loops: Array<() => Promise<void>> = [];

  beforeAll(async () => {
    api = await startTestApi();
  });
  beforeEach(async () => {
    tenant = await api.addTenant();
    operator = await api.addUser({ [tenant.code]: 'OPERATOR' });
  });
  afterEach(async () => {
    for (const stop of loops.splice(0)) await stop();
  });
  afterAll(() => api.close());

  const pass = (now = new Date(), limit = 500) =>
    api.container.db.inPlatform((tx) => fanOut(tx, now, limit, PACE));
  const read = (id: string | undefined) =>
    api.call('POST', `/api/v1/notifications/${id}/read`, { token: operator.token, tenant: tenant.code });

  it('of a thousand alerts at once, reported by two workers, is one entry with a count and a handful of hints', async () => {
    const second = await api.addUser({ [tenant.code]: 'ADMIN' });
    const stream = await openSse(`${api.base}/api/v1/stream/notifications`, {
      authorization: `Bearer ${operator.token}`,
    });
    await stream.next();
    loops.push(startTelling(api), startTelling(api));
    // As many at once as a busy machine's connections serve in time.
    for (let reported = 0; reported < 1000; reported += 100)
      await Promise.all(Array.from({ length: 100 }, (_, nr) => tell(api, tenant, alert(`Rule${nr % 40}`))));
    await allTold(api);
    for (const user of [operator, second]) {
      expect(await feed(api, user, tenant)).toMatchObject([
        { kind: 'alert_fired', title: 'Alerts fired: 1,000', count: 1000, read: false },
      ]);
      expect((await unread(api, user)).total).toBe(1);
    }
    let hints = 0;
    while (await stream.next(1000).catch(() => null)) hints += 1;
    stream.close();
    expect(hints).toBeGreaterThan(0);
    expect(hints).toBeLessThan(100);
  });

  it('is unread again when it grows, and stands first', async () => {
    await tell(api, tenant, alert('Disk'));
    await pass();
    const [first] = await feed(api, operator, tenant);
    await read(first?.id);
    expect((await unread(api, operator)).total).toBe(0);
    await tell(api, tenant, alert('Memory'));
    const { hints } = await pass();
    expect(hints.filter((each) => each.userId === operator.id)).toEqual([
      { userId: operator.id, id: first?.id, tenantCode: tenant.code, kind: 'alert_fired', unread: 1 },
    ]);
    expect(await feed(api, operator, tenant)).toMatchObject([
      {
        id: first?.id,
        count: 2,
        read: false,
        body: expect.stringContaining('The latest: Alert Memory fired'),
      },
    ]);
  });

  it('begins a new entry once the window of the kind is over', async () => {
    const start = new Date(Date.now() - DAY_MS);
    for (const minutes of [0, 14, 16]) {
      await tell(api, tenant, alert());
      await pass(new Date(start.getTime() + minutes * 60_000));
    }
    expect((await feed(api, operator, tenant)).map((entry) => entry.count)).toEqual([1, 2]);
  });

  it('keeps different subjects, kinds and tenants apart', async () => {
    const other = await api.addTenant();
    const curator = await api.addUser({ [tenant.code]: 'ADMIN', [other.code]: 'ADMIN' });
    for (const [where, what] of [
      [tenant, invalid('a')],
      [tenant, invalid('b')],
      [tenant, invalid('a')],
      [other, invalid('a')],
      [tenant, alert()],
    ] as const)
      await tell(api, where, what);
    await pass();
    expect((await feed(api, curator, tenant)).map((entry) => [entry.title, entry.count])).toEqual(
      expect.arrayContaining([
        ['Dataset a failed its validation (2 times)', 2],
        ['Dataset b failed its validation', 1],
        ['Alert HighErrorRate fired (critical)', 1],
      ]),
    );
    expect((await feed(api, curator, other)).map((entry) => entry.count)).toEqual([1]);
  });

  it('takes the same number of statements for one member as for two hundred', async () => {
    const statements: number[] = [];
    for (const members of [1, 200]) {
      const where = await api.addTenant();
      await api.container.db.inPlatform((tx) =>
        tx.execute(
          `with person as (insert into user_account (email, password_hash) select gen_random_uuid() || '@example.com', 'x' from generate_series(1, $2) returning id)
           insert into membership (user_id, tenant_id, role) select id, $1, 'OPERATOR' from person`,
          [where.id, members],
        ),
      );
      await tell(api, where, alert());
      let sent = 0;
      const { hints } = await api.container.db.inPlatform((tx) => {
        const counting =
          <A extends unknown[], R>(send: (...args: A) => R) =>
          (...args: A): R => {
            sent += 1;
            return send(...args);
          };
        const counted = Object.assign(Object.create(tx) as typeof tx, {
          query: counting(tx.query.bind(tx)),
          rows: counting(tx.rows.bind(tx)),
          execute: counting(tx.execute.bind(tx)),
        });
        return fanOut(counted, new Date(), 500, PACE);
      });
      expect(hints).toHaveLength(members);
      statements.push(sent);
    }
    expect(statements[0]).toBe(statements[1]);
  });

  it('is taken in bounded batches, oldest first, and survives a pass that dies', async () => {
    const curator = await api.addUser({ [tenant.code]: 'DATA_ENGINEER' });
    await api.container.db.inPlatform((tx) =>
      notifyAll(
        tx,
        tenant.id,
        Array.from({ length: 25 }, (_, nr) => invalid(`d${nr}`)),
      ),
    );
    const dying = api.container.db.inPlatform(async (tx) => {
      await fanOut(tx, new Date(), 10, PACE);
      throw new Error('killed');
    });
    await expect(dying).rejects.toThrow('killed');
    expect(await feed(api, curator, tenant)).toEqual([]);
    const taken: number[] = [];
    for (let nr = 0; nr < 3; nr += 1) taken.push((await pass(new Date(), 10)).taken);
    expect(taken).toEqual([10, 10, 5]);
    expect((await feed(api, curator, tenant)).map((entry) => entry.count)).toEqual(Array(25).fill(1));
  });

  it('is not held up by readers who mark everything read meanwhile', async () => {
    loops.push(startTelling(api));
    const telling = Promise.all(Array.from({ length: 300 }, () => tell(api, tenant, alert())));
    const answers = await Promise.all(
      Array.from({ length: 40 }, () =>
        api.call('POST', '/api/v1/notifications/read-all', { token: operator.token, tenant: tenant.code }),
      ),
    );
    await telling;
    await allTold(api);
    expect(answers.map((answer) => answer.status)).toEqual(Array(40).fill(200));
    expect(await feed(api, operator, tenant)).toMatchObject([{ count: 300 }]);
  });

  it('leaves no more than is kept: old entries, those of former members and those beyond the latest 1,000 go', async () => {
    const db = api.container.db;
    const plant = (count: number, age: string, readAge: string | null) =>
      db.inPlatform((tx) =>
        tx.execute(
          `insert into notification (tenant_id, user_id, kind, subject, is_personal, title, body, in_app, awaits_mail, created_at, updated_at, read_at)
           select $1, $2, 'alert_fired', '', false, 't', 'b', true, false, now(), now() - $4::interval - nr * interval '1 ms', now() - $5::interval from generate_series(1, $3) as nr`,
          [tenant.id, operator.id, count, age, readAge],
        ),
      );
    await plant(3, '91 days', '91 days');
    await plant(3, '91 days', '89 days');
    await plant(3, '366 days', null);
    await plant(3, '364 days', null);
    expect(await db.inPlatform((tx) => removeOldNotifications(tx, new Date()))).toBe(6);
    await plant(1000, '1 hour', null);
    expect(await db.inPlatform(removeExcessNotifications)).toBe(6);
    expect((await unread(api, operator)).total).toBe(1000);
    await api.call('DELETE', `/api/v1/system/users/${operator.id}/role?tenant=${tenant.code}`, {
      token: api.admin.token,
    });
    expect(await db.inPlatform((tx) => removeOldNotifications(tx, new Date()))).toBe(1000);
  });

  it('is reported soon after the commit', async () => {
    loops.push(startTelling(api));
    await until(async () => (await feed(api, operator, tenant)).length === 0, 'the loop has started');
    await tell(api, tenant, alert());
    await until(async () => (await feed(api, operator, tenant)).length === 1, 'the entry is there');
  });
});
