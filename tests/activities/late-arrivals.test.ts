import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLateArrivals } from '../../activities/tenants/late-arrivals.platform.js';
import { asTenantId } from '../../core/security/ids.js';
import { audit } from '../../models/audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../../models/audit/audit.types.js';
import { Database } from '../../models/orm/in-tenant.js';
import type { ErasurePlaces } from '../../models/tenants/erasure-survey.platform.js';
import { testDatabase, type TestDatabase } from '../setup/engines.js';

const NOTHING: never[] = [];

describe('what comes for a tenant after its erasure', () => {
  let clone: TestDatabase;
  let database: Database;
  /** Tenants whose objects were asked for, in turn. */
  const looked: string[] = [];
  let failAt: string | null = null;
  beforeAll(async () => {
    clone = await testDatabase();
    database = await Database.open({
      appUrl: clone.appUrl,
      platformUrl: clone.platformUrl,
      appPool: 1,
      platformPool: 2,
      applicationName: 'test',
    });
  });
  afterAll(async () => {
    await database.close();
    await clone.drop();
  });

  /** The database is real; elsewhere nothing lies. */
  const places = () =>
    ({
      database,
      objects: {
        async *list(prefix: string) {
          looked.push(prefix.split('/')[1] as string);
          if (prefix.includes(failAt ?? 'nothing')) throw new Error('killed');
          yield* NOTHING;
        },
        async *listUnfinished() {
          yield* NOTHING;
        },
      },
      histories: { count: async () => ({ all: 0, running: 0 }) },
      mails: { countAbout: async () => 0 },
    }) as unknown as ErasurePlaces;
  const run = (where: ErasurePlaces = places()) =>
    createLateArrivals(where, { now: () => new Date() }).run(new AbortController().signal);
  const query = (sql: string, values: unknown[] = []) =>
    database.inPlatform((tx) => tx.query<Record<string, unknown>>(sql, values));

  const erased = async (daysAgo = 0): Promise<string> => {
    const id = randomUUID();
    await query(
      "insert into tenant_deletion (erased_tenant, tenant_code, status, certificate, finished_at) values ($1, $2, 'done', '{}', now() - make_interval(days => $3))",
      [id, `gone-${id.slice(0, 8)}`, daysAgo],
    );
    return id;
  };
  const effect = (tenant: string) =>
    query(
      "insert into activity_effect (workflow_id, activity_id, tenant_id) values ($1::uuid::text, '1', $1::uuid)",
      [tenant],
    );
  const rows = async (tenant: string): Promise<number> =>
    (
      await query(
        'select 1 from activity_effect where tenant_id = $1 union all select 1 from audit_entry where tenant_id = $1',
        [tenant],
      )
    ).length;
  const records = async (tenant: string) => ({
    log: (
      await query(
        'select l.message from tenant_deletion_log l join tenant_deletion d on d.id = l.deletion_id where d.erased_tenant = $1',
        [tenant],
      )
    ).map((row) => row.message),
    trail: (
      await query(
        "select detail->'found' as found from audit_entry where tenant_id is null and action = 'tenant.late_removal' and target_id = $1",
        [tenant],
      )
    ).map((row) => row.found),
  });

  it('is removed from tables that no key ties to the tenant, and audited', async () => {
    const [late, quiet, old] = [await erased(), await erased(), await erased(3)];
    for (const tenant of [late, old]) await effect(tenant);
    await database.inTenant(asTenantId(late), (tx) =>
      audit(tx, late, SYSTEM_ACTOR, { action: 'access.denied', target: { kind: 'operation', id: 'x' } }),
    );
    expect(await run()).toBe(2);
    expect([await rows(late), await rows(old)]).toEqual([0, 1]);
    expect(await records(late)).toEqual({
      log: ['Came after the end and is removed: 1 row of activity_effect, 1 row of audit_entry.'],
      trail: [{ 'table:activity_effect': 1, 'table:audit_entry': 1 }],
    });
    expect(await records(quiet)).toEqual({ log: [], trail: [] });
    expect(await run()).toBe(0);
  });

  it('is written down before it goes, so that a death in between loses no record', async () => {
    const tenant = await erased();
    await effect(tenant);
    // Dies at the first removal, after the look.
    let lists = 0;
    const { objects, ...others } = places();
    async function* listUnfinished() {
      lists += 1;
      if (lists === 2) throw new Error('killed');
      yield* NOTHING;
    }
    const mortal = { ...others, objects: { ...objects, listUnfinished } } as unknown as ErasurePlaces;
    await query('update tenant_deletion set looked_at = now() where erased_tenant <> $1', [tenant]);
    await expect(run(mortal)).rejects.toThrow('killed');
    expect([
      await rows(tenant),
      (await records(tenant)).trail.length,
      (await records(tenant)).log.length,
    ]).toEqual([1, 1, 1]);
    expect(await run()).toBe(1);
    expect(await rows(tenant)).toBe(0);
  });

  it('is looked for in turn, a hundred tenants at once, also where one look always fails', async () => {
    await query("update tenant_deletion set finished_at = now() - interval '3 days'");
    const tenants = [];
    for (let n = 0; n < 130; n += 1) tenants.push(await erased());
    failAt = tenants[0] as string;
    looked.length = 0;
    await expect(run()).rejects.toThrow('killed');
    await run();
    expect(new Set(looked).size).toBe(101);
    failAt = null;
    await run();
    expect(new Set(looked)).toEqual(new Set(tenants));
  });
});
