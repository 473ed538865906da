import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { asTenantId } from '../../core/security/ids.js';
import { Database } from '../../models/orm/in-tenant.js';
import { TABLE_KINDS } from '../../models/tenants/erasure-counts.rules.js';
import { listUntiedTables } from '../../models/tenants/erasure-tables.sql.js';
import { testDatabase, type TestDatabase } from '../setup/engines.js';

/** Tables with a tenant that its own role may not see at all: credentials, counts and queues of the platform. */
const PLATFORM_ONLY = new Set(['membership', 'access_token', 'invitation', 'stream_seat', 'telemetry_batch']);
/** Tables whose rows may belong to no tenant, with what such a row is. */
const TENANT_MAY_BE_NULL: Readonly<Record<string, string>> = {
  activity_effect: 'an effect of the work of the platform',
  audit_entry: "an entry of the platform's own chain",
  dispatch: 'work of the platform, mails to accounts',
  membership: 'the role of a global administrator',
  notification: 'what concerns the platform or one person',
  notification_request: 'what concerns the platform or one person',
  stream_seat: 'a stream of one person or of a global administrator',
};
const OF_OUTSIDE = 'a name that another system gave or takes';
const OF_HISTORY = 'kept when what it names has gone: it says where something came from';
const OF_AN_ACCOUNT = 'a copy: the entry stays when the account has gone';
/** Columns of tenants' tables that name something without a foreign key, each with the reason. */
const IDS_WITHOUT_KEY: Readonly<Record<string, string>> = {
  'activity_effect.activity_id': OF_OUTSIDE,
  'activity_effect.workflow_id': OF_OUTSIDE,
  'audit_entry.actor_id': OF_AN_ACCOUNT,
  'audit_entry.error_id': 'a number of the log',
  'audit_entry.target_id': OF_HISTORY,
  'dataset_source.remote_dataset_id': OF_OUTSIDE,
  'dataset_annotation.image_id': 'the image that the last matching found, which every validation finds anew',
  'dataset_hold.holder_id': 'of several kinds of holder; let go in the transaction that removes the holder',
  'dataset_sync.remote_dataset_id': OF_OUTSIDE,
  'dataset_sync.source_id': OF_HISTORY,
  'dataset_sync_entry.multipart_id': OF_OUTSIDE,
  'dataset_upload.multipart_id': OF_OUTSIDE,
  'dataset_version.dataset_id': 'a version outlives its dataset while something holds it',
  'dispatch.workflow_id': OF_OUTSIDE,
  'orphaned_object.dataset_id': 'an object to be removed outlives its dataset',
  'orphaned_object.multipart_id': OF_OUTSIDE,
  'logged_model.model_id': "the row's own id, of 32 digits",
  'logged_model.source_run_id': OF_HISTORY,
  'edge_token.key_id': 'a key of the server',
  'feedback.prediction_id': OF_OUTSIDE,
  'image.workflow_id': OF_OUTSIDE,
  'inference.prediction_id': OF_OUTSIDE,
  'inference.upload_id': OF_HISTORY,
  'model_stage_change.actor_id': OF_AN_ACCOUNT,
  'model_stage_change.promotion_id': OF_HISTORY,
  'model_version.experiment_id': OF_HISTORY,
  'model_version.run_id': OF_HISTORY,
  'model_version.training_experiment_id': OF_HISTORY,
  'notification_request.user_id': 'may have gone before it is reported: a change must not fail for that',
  'serving_endpoint.validation_dataset_id':
    'the key that was asked for; the dataset, which goes by force alone, takes it away',
  'serving_endpoint.workload_id': OF_OUTSIDE,
  'stream_seat.user_id': 'an open stream, which ends with the account',
  'tracker_run.run_id': "the row's own id, of 32 digits",
  'tracker_run.training_id': OF_HISTORY,
  'training_export.tracker_run_id': OF_HISTORY,
  'training_experiment.resume_run_id':
    'a run of the tracker, where it may be removed; the attempt then begins at the start',
  'training_experiment.tracker_run_id':
    'written in the same transaction as its run, which stays in the tracker',
  'workload.owner_id': 'an experiment or an endpoint; its host ends it when the owner has gone',
  'workload.workflow_id': OF_OUTSIDE,
};
/** SECURITY DEFINER functions that need no tenant, each with the reason. */
const WITHOUT_TENANT: Readonly<Record<string, string>> = {
  create_partitions_ahead: 'for the platform alone: reads no row',
  detach_expired_partitions: 'for the platform alone: takes away what is over for everybody',
  drop_empty_partitions: 'for the platform alone: drops what holds no row of anybody',
  drop_expired_partitions: 'for the platform alone: drops what was taken away',
  raise_audit_epoch: 'for the platform alone: counts a restore',
  remove_audit_ranges: 'for the platform alone: erasure and retention name the tenant',
};

describe('the walls in the database', () => {
  let clone: TestDatabase;
  let owner: pg.Client;
  beforeAll(async () => {
    clone = await testDatabase();
    owner = new pg.Client({ connectionString: clone.ownerUrl });
    await owner.connect();
  });
  afterAll(async () => {
    await owner.end();
    await clone.drop();
  });

  const rows = async <T extends pg.QueryResultRow>(sql: string) => (await owner.query<T>(sql)).rows;
  const TENANT_TABLES = `select c.oid, c.relname as name, c.relrowsecurity as enabled, c.relforcerowsecurity as forced
    from pg_class c where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
      and exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped)`;

  const IS_NO_PARTITION =
    "not (select relispartition from pg_class where oid = format('public.%I', table_name)::regclass)";

  it('stand around every table with a tenant: enabled, forced, with a check on what is written', async () => {
    const tables = await rows<{
      name: string;
      enabled: boolean;
      forced: boolean;
      policy: boolean;
      app: boolean;
    }>(
      `select t.name, t.enabled, t.forced, has_table_privilege('visionops_app', t.oid, 'select') or has_table_privilege('visionops_app', t.oid, 'insert') as app,
         exists (select 1 from pg_policy p where p.polrelid = t.oid and 'visionops_app'::regrole = any(p.polroles)
           and pg_get_expr(p.polqual, p.polrelid) like '%tenant_id = %app.tenant%' and pg_get_expr(p.polwithcheck, p.polrelid) like '%tenant_id = %app.tenant%') as policy
       from (${TENANT_TABLES}) t order by 1`,
    );
    expect(tables.length).toBeGreaterThan(3);
    expect(tables.filter((table) => !table.enabled || !table.forced).map((table) => table.name)).toEqual([]);
    expect(
      tables
        .filter((table) => !table.policy && (table.app || !PLATFORM_ONLY.has(table.name)))
        .map((table) => table.name),
    ).toEqual([]);
  });

  it('let the app role reach no table without row-level security', async () => {
    const open = await rows<{ name: string }>(
      `select c.relname as name from pg_class c where c.relkind in ('r', 'p', 'v', 'm') and c.relnamespace = 'public'::regnamespace and not c.relrowsecurity
         and (has_table_privilege('visionops_app', c.oid, 'select,insert,update,delete') or has_table_privilege('visionops_ingest', c.oid, 'select,insert,update,delete') or has_table_privilege('visionops_auth', c.oid, 'select,insert,update,delete'))`,
    );
    expect(open).toEqual([]);
  });

  it('let no role that serves reach a partition but through its table', async () => {
    const partitions = await rows<{ name: string; enabled: boolean; policies: number; reached: boolean }>(
      `select c.relname as name, c.relrowsecurity as enabled, (select count(*)::int from pg_policy p where p.polrelid = c.oid) as policies,
         exists (select 1 from pg_roles r where r.rolname like 'visionops\\_%' and not r.rolsuper
           and (has_table_privilege(r.oid, c.oid, 'select,insert,update,delete,truncate,references,trigger') or has_any_column_privilege(r.oid, c.oid, 'select,insert,update'))) as reached
       from pg_class c where c.relispartition and c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace order by 1`,
    );
    expect(partitions.length).toBeGreaterThan(12);
    for (const { name, ...walls } of partitions)
      expect([name, walls]).toEqual([name, { enabled: true, policies: 0, reached: false }]);
    const newest = partitions.at(-1)?.name;
    for (const url of [clone.appUrl, clone.platformUrl, clone.authUrl, clone.ingestUrl]) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await expect(client.query(`select 1 from ${newest}`)).rejects.toMatchObject({ code: '42501' });
      await client.end();
    }
  });

  it('let the erasure of a tenant reach every row of it', async () => {
    const closed = await rows<{ name: string }>(
      `select t.name from (${TENANT_TABLES}) t where not has_table_privilege('visionops_platform', t.oid, 'delete') order by 1`,
    );
    // Entries go in whole sealed ranges alone, by a function.
    expect(closed.map(({ name }) => name)).toEqual(['audit_entry']);
  });

  it('have each table with a tenant named by what the preview of an erasure counts its rows as', async () => {
    const tables = await rows<{ name: string }>(`select t.name from (${TENANT_TABLES}) t order by 1`);
    expect(tables.map(({ name }) => name)).toEqual(Object.keys(TABLE_KINDS).sort());
  });

  it('know which tables refuse no row of a tenant that is gone', async () => {
    const database = await Database.open({
      appUrl: clone.appUrl,
      platformUrl: clone.platformUrl,
      appPool: 1,
      platformPool: 1,
      applicationName: 'walls',
    });
    try {
      expect(await database.inPlatform(listUntiedTables)).toEqual([
        'activity_effect',
        'audit_entry',
        'dispatch',
        'edge_heartbeat',
        'inference',
        'metric_point',
        'telemetry',
        'telemetry_batch',
      ]);
    } finally {
      await database.close();
    }
  });

  it('know no table of tenants that erasure cannot find by its tenant', async () => {
    const hidden = await rows<{ name: string }>(
      `with t as (${TENANT_TABLES}) select distinct c.relname as name from pg_constraint k join pg_class c on c.oid = k.conrelid
       where k.contype = 'f' and c.oid not in (select oid from t) and (k.confrelid in (select oid from t) or k.confrelid = 'tenant'::regclass) order by 1`,
    );
    expect(hidden).toEqual([]);
    const elsewhere = await rows<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns c join information_schema.tables using (table_schema, table_name)
       where ${IS_NO_PARTITION} and table_schema = 'public' and table_type = 'BASE TABLE' and column_name like '%tenant%' and column_name <> 'tenant_id' order by 1`,
    );
    // What outlives its tenant: the record of the erasure itself.
    expect(elsewhere.map(({ name }) => name)).toEqual([
      'tenant_deletion.erased_tenant',
      'tenant_deletion.tenant_code',
    ]);
  });

  it('are not owned or passed by the roles that serve', async () => {
    const roles = await rows<{ rolname: string; any: boolean }>(
      `select rolname, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication as any from pg_roles where rolname in ('visionops_app', 'visionops_platform', 'visionops_ingest', 'visionops_auth') order by 1`,
    );
    expect(roles).toEqual(
      ['visionops_app', 'visionops_auth', 'visionops_ingest', 'visionops_platform'].map((rolname) => ({
        rolname,
        any: false,
      })),
    );
    expect(
      await rows(
        `select 1 from pg_class where relowner in ('visionops_app'::regrole, 'visionops_platform'::regrole, 'visionops_ingest'::regrole, 'visionops_auth'::regrole)`,
      ),
    ).toEqual([]);
    expect(
      await rows(
        `select 1 from pg_auth_members where member in ('visionops_app'::regrole, 'visionops_platform'::regrole, 'visionops_ingest'::regrole, 'visionops_auth'::regrole)`,
      ),
    ).toEqual([]);
  });

  it('stand inside every function that runs with more rights than its caller', async () => {
    const functions = await rows<{ name: string; body: string; config: string[] | null }>(
      `select proname as name, pg_get_functiondef(oid) as body, proconfig as config from pg_proc where prosecdef and pronamespace = 'public'::regnamespace`,
    );
    const lacking = functions.filter(
      ({ name, body }) => WITHOUT_TENANT[name] === undefined && !/current_setting\('app\.tenant'/.test(body),
    );
    expect(lacking.map(({ name }) => name)).toEqual([]);
    // Without a fixed path, a caller's own table could stand in for ours.
    expect(
      functions
        .filter(({ config }) => !config?.some((entry) => entry.startsWith('search_path=')))
        .map(({ name }) => name),
    ).toEqual([]);
  });

  it("keep references within a tenant: foreign keys between tenants' tables carry the tenant", async () => {
    const crossing = await rows<{ name: string }>(
      `with t as (${TENANT_TABLES}) select k.conname as name from pg_constraint k join t child on child.oid = k.conrelid join t parent on parent.oid = k.confrelid
       where k.contype = 'f' and not exists (select 1 from unnest(k.conkey, k.confkey) as pair(c, p)
         join pg_attribute ca on ca.attrelid = k.conrelid and ca.attnum = pair.c join pg_attribute pa on pa.attrelid = k.confrelid and pa.attnum = pair.p
         where ca.attname = 'tenant_id' and pa.attname = 'tenant_id')`,
    );
    expect(crossing.map(({ name }) => name)).toEqual([]);
  });

  it('admit rows without a tenant in the named tables alone', async () => {
    const nullable = await rows<{ name: string }>(
      `select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
       where ${IS_NO_PARTITION} and c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.column_name = 'tenant_id' and c.is_nullable = 'YES' order by 1`,
    );
    expect(nullable.map(({ name }) => name)).toEqual(Object.keys(TENANT_MAY_BE_NULL).sort());
  });

  // That a key between tenants' tables carries the tenant is tested above; accounts have none.
  it("leave no id in a tenant's table without a foreign key, save those named", async () => {
    const free = await rows<{ key: string }>(
      `with t as (${TENANT_TABLES}) select t.name || '.' || a.attname as key from t join pg_attribute a on a.attrelid = t.oid
       where a.attname like '%\\_id' and a.attname <> 'tenant_id' and a.attnum > 0 and not a.attisdropped
         and not exists (select 1 from pg_constraint k where k.conrelid = t.oid and k.contype = 'f' and a.attnum = any(k.conkey)) order by 1`,
    );
    expect(free.map(({ key }) => key)).toEqual(Object.keys(IDS_WITHOUT_KEY).sort());
  });

  it('hold in practice: one tenant reads, changes and plants nothing of another, and none is seen without a tenant', async () => {
    const db = await Database.open({
      appUrl: clone.appUrl,
      platformUrl: clone.platformUrl,
      appPool: 2,
      platformPool: 1,
      applicationName: 'test',
    });
    try {
      const [a, b] = [asTenantId(randomUUID()), asTenantId(randomUUID())];
      await db.inPlatform((tx) =>
        tx.execute("insert into tenant (id, code, name) values ($1, 'aa', 'A'), ($2, 'bb', 'B')", [a, b]),
      );
      const insert = (tenant: string) =>
        [
          `insert into audit_entry (tenant_id, action, target_kind, target_id) values ('${tenant}', 'x', 'x', 'x')`,
        ] as const;
      await db.inTenant(a, (tx) => tx.execute(...insert(a)));
      expect(await db.inTenant(b, (tx) => tx.query('select 1 from audit_entry'))).toEqual([]);
      await expect(db.inTenant(b, (tx) => tx.execute(...insert(a)))).rejects.toMatchObject({ code: '42501' });
      // The pool's connections were used for tenants before: outside of one they see nothing.
      const app = new pg.Client({ connectionString: clone.appUrl });
      await app.connect();
      await app.query("begin; select set_config('app.tenant', $q$" + a + '$q$, true); commit');
      expect((await app.query('select 1 from audit_entry')).rows).toEqual([]);
      await app.end();
    } finally {
      await db.close();
    }
  });

  it('10,000 interleaved transactions of two tenants over two connections see no foreign row', async () => {
    const db = await Database.open({
      appUrl: clone.appUrl,
      platformUrl: clone.platformUrl,
      appPool: 2,
      platformPool: 1,
      applicationName: 'test',
    });
    try {
      const tenants = [asTenantId(randomUUID()), asTenantId(randomUUID())];
      for (const tenant of tenants) {
        await db.inPlatform((tx) =>
          tx.execute('insert into tenant (id, code, name) values ($1, $2, $2)', [
            tenant,
            `p-${tenant.slice(0, 8)}`,
          ]),
        );
        await db.inTenant(tenant, (tx) =>
          tx.execute(
            `insert into audit_entry (tenant_id, action, target_kind, target_id) values ($1, 'x', 'x', 'x')`,
            [tenant],
          ),
        );
      }
      let foreign = 0;
      const once = async (i: number) => {
        const tenant = tenants[i % 2] as (typeof tenants)[number];
        await db
          .inTenant(tenant, async (tx) => {
            const seen = await tx.query<{ tenant_id: string }>('select tenant_id from audit_entry');
            if (seen.length !== 1 || seen[0]?.tenant_id !== tenant) foreign += 1;
            if (i % 20 === 0) throw new Error('given up half-way');
          })
          .catch((error: Error) => {
            if (error.message !== 'given up half-way') throw error;
          });
      };
      for (let start = 0; start < 10_000; start += 50)
        await Promise.all(Array.from({ length: 50 }, (_, i) => once(start + i)));
      expect(foreign).toBe(0);
    } finally {
      await db.close();
    }
  });
});
