import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { testDatabase, type TestDatabase } from '../setup/engines.js';

const ALL = '*';
/** What signs people in may do: rights by table, each with its columns or `*`. Whatever is not named is refused. */
const RIGHTS: Readonly<Record<string, Readonly<Record<string, typeof ALL | readonly string[]>>>> = {
  access_token: { SELECT: ALL, INSERT: ALL, UPDATE: ['last_used_at'], DELETE: ALL },
  attempt_limit: { SELECT: ALL, INSERT: ALL, UPDATE: ALL, DELETE: ALL },
  audit_entry: { INSERT: ALL },
  auth_session: { SELECT: ALL, INSERT: ALL, UPDATE: ['last_used_at'], DELETE: ALL },
  dispatch: { INSERT: ALL },
  edge_device: {
    SELECT: [
      'id',
      'is_blocked',
      'key',
      'number',
      'policy_revision',
      'registered_at',
      'retention',
      'tenant_id',
    ],
  },
  edge_token: {
    SELECT: ['device_id', 'expires_at', 'id', 'revoked_at', 'scopes', 'tenant_id', 'token_hash'],
  },
  host: { SELECT: ALL },
  invitation: { SELECT: ['email', 'expires_at'] },
  membership: { SELECT: ALL },
  process_heartbeat: { SELECT: ['place', 'process', 'seen_at'] },
  sign_in_place: { SELECT: ALL, INSERT: ALL, UPDATE: ALL, DELETE: ALL },
  stream_seat: { SELECT: ALL, INSERT: ALL, DELETE: ALL },
  tenant: { SELECT: ['code', 'id', 'is_active', 'name', 'retention'] },
  user_account: {
    SELECT: ALL,
    INSERT: ALL,
    UPDATE: ['full_name', 'is_verified', 'password_hash', 'phone', 'updated_at', 'verification_changes'],
  },
};
/** Sequences are beside the point: no row is seen by a number. */
const RELATIONS = `select c.oid, c.relname as name from pg_class c
  where c.relkind in ('r', 'p', 'v', 'm') and c.relnamespace = 'public'::regnamespace and not c.relispartition`;
const REFUSED = '42501';

describe('the database role that signs people in', () => {
  let clone: TestDatabase;
  let owner: pg.Client;
  let auth: pg.Client;
  beforeAll(async () => {
    clone = await testDatabase();
    owner = new pg.Client({ connectionString: clone.ownerUrl });
    auth = new pg.Client({ connectionString: clone.authUrl });
    await Promise.all([owner.connect(), auth.connect()]);
  });
  afterAll(async () => {
    await Promise.all([owner.end(), auth.end()]);
    await clone.drop();
  });

  const rows = async <T extends pg.QueryResultRow>(sql: string) => (await owner.query<T>(sql)).rows;
  const codeOf = (sql: string): Promise<string | undefined> =>
    auth.query(sql).then(
      () => undefined,
      (error: pg.DatabaseError) => error.code,
    );

  it('has the rights that are named here, on these columns, and no other on any table', async () => {
    const held = await rows<{ name: string; right: string; columns: string[]; isWhole: boolean }>(
      `select t.name, r.name as "right", has_table_privilege('visionops_auth', t.oid, r.name) as "isWhole",
         (select array_agg(a.attname::text order by a.attname::text) from pg_attribute a
           where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
             and has_column_privilege('visionops_auth', t.oid, a.attnum, r.name)) as columns
       from (${RELATIONS}) t, unnest(array['SELECT', 'INSERT', 'UPDATE']) as r (name)
       where has_any_column_privilege('visionops_auth', t.oid, r.name)
       union all
       select t.name, r.name, true, null from (${RELATIONS}) t,
         unnest(array['DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) as r (name)
       where has_table_privilege('visionops_auth', t.oid, r.name) order by 1, 2`,
    );
    const found: Record<string, Record<string, unknown>> = {};
    for (const { name, right, columns, isWhole } of held)
      found[name] = { ...found[name], [right]: isWhole ? ALL : columns };
    expect(found).toEqual(RIGHTS);
  });

  it('is refused every other table, by reading it and by each way of changing it', async () => {
    const others = (await rows<{ name: string }>(RELATIONS)).filter(({ name }) => !(name in RIGHTS));
    expect(others.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['dataset', 'model', 'model_version', 'training_experiment', 'tenant_deletion']),
    );
    for (const { name } of others)
      for (const statement of [
        `select 1 from ${name}`,
        `insert into ${name} default values`,
        `update ${name} set ${await firstColumn(name)} = default`,
        `delete from ${name}`,
        `truncate ${name}`,
      ])
        expect([statement, await codeOf(statement)]).toEqual([statement, REFUSED]);
  });

  const firstColumn = async (table: string): Promise<string> =>
    (
      await rows<{ name: string }>(
        `select quote_ident(attname) as name from pg_attribute where attrelid = '${table}'::regclass and attnum = 1`,
      )
    )[0]?.name as string;

  it('runs no function with more rights than its own, and takes on no other role', async () => {
    expect(
      await rows(
        `select proname from pg_proc where prosecdef and pronamespace = 'public'::regnamespace
           and has_function_privilege('visionops_auth', oid, 'execute')`,
      ),
    ).toEqual([]);
    expect(
      await rows(
        `select rolname from pg_roles where rolname <> 'visionops_auth' and pg_has_role('visionops_auth', oid, 'member')`,
      ),
    ).toEqual([]);
    for (const role of ['visionops_platform', 'visionops_app', 'visionops_search', 'visionops_owner'])
      expect([role, await codeOf(`set role ${role}`)]).toEqual([role, REFUSED]);
  });

  it('makes nobody an administrator, opens no account that was closed and moves none to another address', async () => {
    for (const statement of [
      'insert into membership (user_id, role) select id, $$ADMIN$$ from user_account',
      'update user_account set is_active = true',
      "update user_account set email = 'other@example.com'",
      'delete from user_account',
      'update auth_session set user_id = gen_random_uuid()',
      'update access_token set tenant_id = gen_random_uuid()',
      'select features from tenant',
    ])
      expect([statement, await codeOf(statement)]).toEqual([statement, REFUSED]);
  });

  it('writes entries about accounts and mails to them alone', async () => {
    const entry = (action: string) =>
      `insert into audit_entry (action, target_kind, target_id) values ('${action}', 'user', 'x')`;
    const work = (kind: string, tenant: string) =>
      `insert into dispatch (kind, tenant_id, payload) values ('${kind}', ${tenant}, '{}')`;
    expect(await codeOf(entry('user.update'))).toBeUndefined();
    expect(await codeOf(work('mail', 'null'))).toBeUndefined();
    for (const statement of [
      entry('model.promote'),
      entry('userx'),
      work('start', 'null'),
      work('mail', 'gen_random_uuid()'),
      "update audit_entry set action = 'user.update'",
    ])
      expect([statement, await codeOf(statement)]).toEqual([statement, REFUSED]);
  });
});
