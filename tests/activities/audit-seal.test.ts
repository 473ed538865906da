import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { asTenantId, type TenantId } from '../../core/security/ids.js';
import { audit } from '../../models/audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../../models/audit/audit.types.js';
import { removeAuditRanges } from '../../models/audit/audit-seal.sql.js';
import {
  findUncoveredEntries,
  findUnsealedEntries,
  sealedChains,
  verifyAuditChain,
} from '../../models/audit/audit-seal.platform.js';
import { raiseAuditEpoch } from '../../models/audit/audit-sealing.platform.js';
import { AuditSealing } from '../../models/audit/audit-sealing.platform.js';
import { Database } from '../../models/orm/in-tenant.js';
import { testDatabase, type TestDatabase } from '../setup/engines.js';

const WAITS_FOR_TEST =
  "select count(*) as n from pg_locks where locktype = 'advisory' and objid = 4711 and not granted";
const pause = () => new Promise((resolve) => setTimeout(resolve, 25));

async function clientOf(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}

describe('audit seals', () => {
  let clone: TestDatabase;
  let database: Database;
  let sealing: AuditSealing;
  let owner: pg.Client;
  beforeAll(async () => {
    clone = await testDatabase();
    database = await Database.open({
      appUrl: clone.appUrl,
      platformUrl: clone.platformUrl,
      appPool: 4,
      platformPool: 6,
      applicationName: 'test',
    });
    sealing = new AuditSealing(database);
    owner = new pg.Client({ connectionString: clone.ownerUrl });
    await owner.connect();
    // The owner alone can tamper: the serving roles may neither change nor remove rows.
    for (const table of ['audit_entry', 'audit_seal'])
      await owner.query(`alter table ${table} no force row level security`);
  });
  afterAll(async () => {
    await owner.end();
    await database.close();
    await clone.drop();
  });

  const record = (action: string) => ({
    action,
    target: { kind: 'thing', id: 't1' },
    detail: { b: 1, a: 'ä' },
  });
  const writeFor = (tenantId: TenantId, action = 'thing.change') =>
    database.inTenant(tenantId, (tx) => audit(tx, tenantId, SYSTEM_ACTOR, record(action)));
  const seal = async () => (await sealing.pass()).sealed;
  /** Transactions of other tests on the same server also hold back what counts as finished. */
  const sealed = async (least: number) => {
    let written = 0;
    for (let left = 1200; written < least && left > 0; left -= 1) {
      written += await seal();
      if (written < least) await pause();
    }
    return written;
  };
  const settle = async () => {
    while ((await sealing.pass()).isUnfinished) await pause();
  };
  const verify = (chain: string) => database.inPlatform((tx) => verifyAuditChain(tx, chain));
  const newTenant = () => asTenantId(randomUUID());

  it('seals each tenant and the platform in a chain of its own, and writes nothing when nothing is new', async () => {
    const [one, two] = [newTenant(), newTenant()];
    await writeFor(one);
    await writeFor(two);
    await database.inPlatform((tx) => audit(tx, null, SYSTEM_ACTOR, record('tenant.create')));
    expect(await sealed(3)).toBe(3);
    expect(await seal()).toBe(0);
    await writeFor(one);
    await writeFor(one);
    expect(await sealed(1)).toBe(1);
    expect(await verify(one)).toEqual({
      chain: one,
      seals: 2,
      rows: 3,
      removedRanges: 0,
      newest: expect.stringMatching(/^[0-9a-f]{64}$/),
      problems: [],
    });
    expect(await verify(two)).toMatchObject({ seals: 1, rows: 1, problems: [] });
    expect(await verify('platform')).toMatchObject({ seals: 1, rows: 1, problems: [] });
    expect(await database.inPlatform(sealedChains)).toEqual(expect.arrayContaining([one, two, 'platform']));
  });

  it('waits for transactions that are still open and never misses their rows', async () => {
    const tenantId = newTenant();
    let commit = () => {};
    const open = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let wrote = () => {};
    const written = new Promise<void>((resolve) => {
      wrote = resolve;
    });
    const slow = database.inTenant(tenantId, async (tx) => {
      await audit(tx, tenantId, SYSTEM_ACTOR, record('slow.change'));
      wrote();
      await open;
    });
    await written;
    await writeFor(tenantId, 'quick.change');
    expect(await seal()).toBe(0);
    commit();
    await slow;
    expect(await sealed(1)).toBe(1);
    expect(await verify(tenantId)).toMatchObject({ seals: 1, rows: 2, problems: [] });
  });

  it('seals an entry that was committed after the sealer had passed its id', async () => {
    const [late, other] = [newTenant(), newTenant()];
    const began = await database.inTenant(late, async (tx) => {
      await audit(tx, late, SYSTEM_ACTOR, record('late.change'));
      // Passes come meanwhile: ids above it are taken and committed.
      for (let pass = 0; pass < 3; pass += 1) {
        await writeFor(other);
        expect(await seal()).toBe(0);
      }
      return true;
    });
    await writeFor(other);
    await settle();
    expect([began, await seal()]).toEqual([true, 0]);
    expect(await verify(late)).toMatchObject({ seals: 1, rows: 1, problems: [] });
    expect(await verify(other)).toMatchObject({ rows: 4, problems: [] });
  });

  it('keeps its mark while a transaction elsewhere runs for long, and goes on after it', async () => {
    const [tenantId, runner] = [newTenant(), newTenant()];
    const elsewhere = new pg.Client({ connectionString: clone.ownerUrl });
    await elsewhere.connect();
    await elsewhere.query('begin');
    await elsewhere.query('select pg_current_xact_id()');
    await writeFor(tenantId);
    expect(await seal()).toBe(0);
    // One that began later is not waited for: the mark was set before.
    let end = () => {};
    const later = database.inTenant(runner, async (tx) => {
      await audit(tx, runner, SYSTEM_ACTOR, record('later.change'));
      await new Promise<void>((resolve) => {
        end = resolve;
      });
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await seal()).toBe(0);
    await elsewhere.query('commit');
    await elsewhere.end();
    await sealed(1);
    expect(await verify(tenantId)).toMatchObject({ seals: 1, rows: 1, problems: [] });
    expect(await verify(runner)).toMatchObject({ seals: 0, rows: 0 });
    end();
    await later;
    await sealed(1);
    expect(await verify(runner)).toMatchObject({ seals: 1, rows: 1, problems: [] });
  });

  it('gives an entry its id in a transaction that has its own', async () => {
    await owner.query('begin');
    const own = 'select pg_current_xact_id_if_assigned() is not null as has';
    const before = await owner.query(own);
    await owner.query('select next_audit_entry_id()');
    const after = await owner.query(own);
    await owner.query('rollback');
    expect([before.rows, after.rows]).toEqual([[{ has: false }], [{ has: true }]]);
  });

  it('goes on in a new epoch after a restore, with ids that no entry has', async () => {
    const tenantId = newTenant();
    await writeFor(tenantId);
    await settle();
    const elsewhere = new pg.Client({ connectionString: clone.ownerUrl });
    await elsewhere.connect();
    await elsewhere.query('begin; select pg_current_xact_id()');
    await writeFor(tenantId);
    expect(await seal()).toBe(0);
    expect(await findUnsealedEntries(database)).toEqual({ count: 1, oldestS: expect.any(Number) });
    const highest = (await owner.query<{ id: number }>('select max(id)::int as id from audit_entry')).rows[0];
    await owner.query("select setval('audit_entry_id_seq', 1)");
    expect(await database.inPlatform((tx) => raiseAuditEpoch(tx, SYSTEM_ACTOR))).toBe(2);
    await writeFor(tenantId);
    await elsewhere.query('commit');
    await elsewhere.end();
    await settle();
    const { rows: ids } = await owner.query<{ id: number; epoch: number }>(
      `select e.id::int, s.epoch from audit_entry e join audit_seal s on s.chain = e.tenant_id::text and e.id > s.from_id and e.id <= s.to_id
       where e.tenant_id = $1 order by e.id`,
      [tenantId],
    );
    expect(ids.map(({ epoch }) => epoch)).toEqual([1, 2, 2]);
    expect(ids[2]?.id).toBeGreaterThan(highest?.id ?? Number.POSITIVE_INFINITY);
    expect(await verify(tenantId)).toMatchObject({ seals: 2, rows: 3, problems: [] });
    expect(await verify('platform')).toMatchObject({ problems: [] });
    expect(await findUnsealedEntries(database)).toEqual({ count: 0, oldestS: null });
    await expect(database.inTenant(tenantId, (tx) => tx.query('select raise_audit_epoch()'))).rejects.toThrow(
      'permission denied',
    );
    const raise = 'update audit_epoch set epoch = 1';
    await expect(database.inPlatform((tx) => tx.execute(raise))).rejects.toThrow('permission denied');
  });

  it('never misses rows of transactions that begin while it writes seals', async () => {
    const tenantId = newTenant();
    const before = await clientOf(clone.ownerUrl);
    const writer = await clientOf(clone.ownerUrl);
    // The next pass stands still amid its seals, when its transaction has an id already.
    await owner.query(`create function wait_for_test() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(4711); return null; end $$`);
    await owner.query(`create trigger wait_for_test after insert on audit_seal
      for each row execute function wait_for_test()`);
    await owner.query('select pg_advisory_lock(4711)');
    try {
      await before.query('begin');
      await before.query('select pg_current_xact_id()');
      await writeFor(tenantId);
      expect(await sealing.pass()).toEqual({ sealed: 0, isUnfinished: true });
      await before.query('commit');
      await writeFor(tenantId);
      const amid = settle();
      while ((await owner.query(WAITS_FOR_TEST)).rows[0]?.n === '0') await pause();
      await writer.query('begin');
      await writer.query(
        "insert into audit_entry (tenant_id, action, target_kind, target_id) values ($1, 'late.change', 'thing', 't1')",
        [tenantId],
      );
      await owner.query('select pg_advisory_unlock(4711)');
      // Passes go on beside it, and leave out what may still come.
      for (let n = 0; n < 10; n += 1) await pause();
      await writer.query('commit');
      await amid;
    } finally {
      await owner.query('drop trigger wait_for_test on audit_seal');
      await owner.query('select pg_advisory_unlock_all()');
      await before.end();
      await writer.end();
    }
    await settle();
    expect(await verify(tenantId)).toMatchObject({ rows: 3, problems: [] });
  });

  it('covers every row once while many write and several sealers run', async () => {
    const tenants = Array.from({ length: 4 }, newTenant);
    let done = false;
    const sealers = [0, 1, 2].map(async () => {
      const another = new AuditSealing(database);
      while (!done) await another.pass();
    });
    await Promise.all(
      tenants.flatMap((tenantId) =>
        [0, 1].map(async () => {
          for (let n = 0; n < 50; n += 1) await writeFor(tenantId);
        }),
      ),
    );
    done = true;
    await Promise.all(sealers);
    const last = newTenant();
    await writeFor(last);
    while ((await verify(last)).rows === 0) await sealed(1);
    for (const tenantId of tenants) expect(await verify(tenantId)).toMatchObject({ rows: 100, problems: [] });
  });

  /** Three ranges of two rows each. */
  const threeRanges = async () => {
    const tenantId = newTenant();
    for (let range = 0; range < 3; range += 1) {
      await writeFor(tenantId);
      await writeFor(tenantId);
      await sealed(1);
    }
    return tenantId;
  };
  const askDeletionOf = (tenantId: string) =>
    database.inPlatform((tx) =>
      tx.execute('insert into tenant_deletion (erased_tenant, tenant_code) values ($1, $2)', [
        tenantId,
        `gone-${tenantId.slice(0, 8)}`,
      ]),
    );
  const tampered = async (sql: (tenant: string) => string) => {
    const tenantId = await threeRanges();
    await owner.query(sql(tenantId));
    const report = await verify(tenantId);
    return { problems: report.problems.map((entry) => entry.problem), removed: report.removedRanges };
  };
  const first = (tenant: string) =>
    `(select id from audit_entry where tenant_id = '${tenant}' order by id limit 1)`;
  const middle = (tenant: string) =>
    `(select id from audit_seal where chain = '${tenant}' order by id offset 1 limit 1)`;
  const firstRange = (tenant: string) =>
    `tenant_id = '${tenant}' and id <= (select to_id from audit_seal where chain = '${tenant}' order by id limit 1)`;

  it('finds a changed row, a removed row, an added row and a removed seal', async () => {
    expect(
      (await tampered((t) => `update audit_entry set actor_name = 'x' where id = ${first(t)}`)).problems,
    ).toEqual(['a row was changed']);
    expect((await tampered((t) => `delete from audit_entry where id = ${first(t)}`)).problems).toEqual([
      '1 rows where 2 were sealed',
    ]);
    expect(
      (
        await tampered(
          (t) =>
            `insert into audit_entry (tenant_id, id, action, target_kind, target_id) select tenant_id, id, 'forged', 'k', 'i' from audit_entry where id = ${first(t)}`,
        )
      ).problems,
    ).toEqual(['3 rows where 2 were sealed']);
    expect((await tampered((t) => `delete from audit_seal where id = ${middle(t)}`)).problems).toEqual([
      'does not begin where the seal before it ends',
    ]);
    expect(
      (await tampered((t) => `update audit_seal set row_count = 1 where id = ${middle(t)}`)).problems,
    ).toEqual(['2 rows where 1 were sealed']);
  });

  it('finds an entry that was put in where no seal will ever come', async () => {
    await writeFor(newTenant());
    await settle();
    // Seals of the last minute do not count yet.
    await owner.query("update audit_seal set sealed_at = sealed_at - interval '2 minutes'");
    expect(await findUncoveredEntries(database, 10)).toEqual([]);
    const forged = newTenant();
    const add =
      "insert into audit_entry (tenant_id, id, action, target_kind, target_id) values ($1, 1, 'forged', 'k', 'i')";
    await owner.query(add, [forged]);
    try {
      expect(await findUncoveredEntries(database, 10)).toEqual([
        { id: 1, chain: forged, at: expect.any(Date) },
      ]);
    } finally {
      await owner.query('delete from audit_entry where tenant_id = $1', [forged]);
    }
  });

  it('covers every column of an entry: a change of any is found', async () => {
    const { rows } = await owner.query<{ name: string; type: string }>(
      "select attname as name, format_type(atttypid, null) as type from pg_attribute where attrelid = 'audit_entry'::regclass and attnum > 0 and not attisdropped",
    );
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['id', 'at', 'actor_email', 'outcome', 'detail']),
    );
    const other: Readonly<Record<string, string>> = {
      uuid: `'${randomUUID()}'`,
      'timestamp with time zone': "at + interval '1 microsecond'",
      jsonb: `'{"b": 2, "a": "ä"}'`,
      bigint: '-id',
    };
    const unnoticed: string[] = [];
    for (const { name, type } of rows) {
      const changed = name === 'outcome' ? "'denied'" : (other[type] ?? "'x'");
      const { problems } = await tampered(
        (t) => `update audit_entry set ${name} = ${changed} where id = ${first(t)}`,
      );
      if (problems.length === 0) unnoticed.push(name);
    }
    expect(unnoticed).toEqual([]);
  });

  it('finds a range that somebody emptied, also the newest, and accepts what retention and erasure remove', async () => {
    expect(await tampered((t) => `delete from audit_entry where ${firstRange(t)}`)).toEqual({
      problems: ['all 2 rows were removed'],
      removed: 0,
    });
    expect((await tampered((t) => `delete from audit_entry where tenant_id = '${t}'`)).problems).toHaveLength(
      3,
    );
    const tenantId = await threeRanges();
    await askDeletionOf(tenantId);
    expect(await database.inPlatform((tx) => removeAuditRanges(tx, tenantId, null, 2))).toEqual({
      ranges: 2,
      entries: 4,
    });
    expect(await verify(tenantId)).toMatchObject({ seals: 3, rows: 2, removedRanges: 2, problems: [] });
  });

  it('finds rows in a range that is marked as removed', async () => {
    const forged = (t: string) =>
      `update audit_seal set removed_at = now() where chain = '${t}' and id = (select min(id) from audit_seal where chain = '${t}')`;
    expect(await tampered(forged)).toEqual({
      problems: ['2 rows in a range that is marked as removed'],
      removed: 1,
    });
  });

  it('accepts no removal from the chain of the platform', async () => {
    await database.inPlatform((tx) => audit(tx, null, SYSTEM_ACTOR, record('tenant.create')));
    await sealed(1);
    const newest = `(select id from audit_seal where chain = 'platform' order by from_id desc limit 1)`;
    await owner.query(
      `delete from audit_entry where tenant_id is null and id > (select from_id from audit_seal where id = ${newest})`,
    );
    expect((await verify('platform')).problems.map((entry) => entry.problem)).toEqual([
      'all 1 rows were removed',
    ]);
    await owner.query(`update audit_seal set removed_at = now() where id = ${newest}`);
    expect((await verify('platform')).problems.map((entry) => entry.problem)).toEqual([
      'marked as removed, which the platform keeps',
    ]);
  });

  it('lets no serving role change or remove entries and seals', async () => {
    const tenantId = await threeRanges();
    const direct = [
      "update audit_entry set action = 'x'",
      'delete from audit_entry',
      "update audit_seal set seal = 'x'",
      'update audit_seal set removed_at = now()',
      'delete from audit_seal',
    ];
    for (const sql of direct)
      await expect(database.inPlatform((tx) => tx.execute(sql))).rejects.toThrow('permission denied');
    for (const sql of [...direct, `select remove_audit_ranges('${tenantId}', 'infinity', 9)`])
      await expect(database.inTenant(tenantId, (tx) => tx.execute(sql))).rejects.toThrow('permission denied');
  });

  it('removes by its function what retention or a deletion lets go, and nothing else', async () => {
    const tenantId = await threeRanges();
    const remove = () => database.inPlatform((tx) => removeAuditRanges(tx, tenantId, null, 9));
    const nothing = { ranges: 0, entries: 0 };
    expect(await remove()).toEqual(nothing);
    await owner.query('alter table tenant no force row level security');
    await owner.query("insert into tenant (id, code, name) values ($1, $2, 'Kept')", [
      tenantId,
      `kept-${tenantId.slice(0, 8)}`,
    ]);
    expect(await remove()).toEqual(nothing);
    await owner.query(`update tenant set retention = '{"audit": 30}' where id = $1`, [tenantId]);
    expect(await remove()).toEqual(nothing);
    await owner.query(
      `update audit_seal set sealed_at = sealed_at - interval '31 days' where id in (select id from audit_seal where chain = $1 order by id limit 1)`,
      [tenantId],
    );
    const { seals, rows } = await verify(tenantId);
    const over = await remove();
    expect([over.ranges, over.entries > 0, over.entries < rows]).toEqual([1, true, true]);
    expect(await remove()).toEqual(nothing);
    await askDeletionOf(tenantId);
    expect(await remove()).toEqual({ ranges: seals - 1, entries: rows - over.entries });
    expect(await verify(tenantId)).toMatchObject({ removedRanges: seals, problems: [] });
  });
});
