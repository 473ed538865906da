import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EntityMetadata, type EntityProperty, MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import pg from 'pg';
import { asTenantId } from '../../core/security/ids.js';
import { Dataset } from '../../models/datasets/catalog/dataset.entity.js';
import type { DatasetStatus } from '../../models/datasets/catalog/dataset.types.js';
import { Database } from '../../models/orm/in-tenant.js';
import { ENTITIES, type Tables } from '../../models/orm/entities.js';
import { ormOptions } from '../../models/orm/orm.config.js';
import { type TestDatabase, testDatabase } from '../setup/engines.js';

/** Tables of tools, which no code of ours reads. */
const OF_TOOLS = new Set(['mikro_orm_migrations']);

interface Column {
  readonly type: string;
  readonly nullable: boolean;
  readonly default: string | null;
  readonly identity: boolean;
  readonly generated: boolean;
}

const DATABASE_COLUMNS = `select c.relname || '.' || a.attname as key, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable,
    pg_get_expr(d.adbin, d.adrelid) as "default", a.attidentity <> '' as identity, a.attgenerated <> '' as generated
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace`;

/** PostgreSQL's names of the types that entities call otherwise. */
const TYPES: Readonly<Record<string, string>> = {
  'timestamp with time zone': 'timestamptz',
  integer: 'int',
};
const SERIALS: Readonly<Record<string, string>> = { bigserial: 'bigint', serial: 'int' };

const plainDefault = (text: string | null): string | null =>
  text?.replace(/^'(.*)'::\w+$/s, "'$1'").replace(/^'(-?\d+)'$/, '$1') ?? null;

const ofEntity = (property: EntityProperty): Column => {
  const type = property.columnTypes[0] ?? '';
  return {
    type: SERIALS[type] ?? type,
    nullable: property.nullable === true,
    default: plainDefault(property.defaultRaw ?? null),
    identity: property.autoincrement === true,
    generated: property.generated !== undefined,
  };
};

/** By type: SQL of a value, and the class of what is read. */
const SAMPLES: Readonly<Record<string, readonly [string, string]>> = {
  boolean: ['true', 'Boolean'],
  smallint: ['-32768', 'Number'],
  int: ['-2147483648', 'Number'],
  bigint: ['9007199254740991', 'Number'],
  'double precision': ['0.1', 'Number'],
  text: ["'text'", 'String'],
  uuid: ['gen_random_uuid()', 'String'],
  xid8: ['pg_current_xact_id()', 'String'],
  timestamptz: ['now()', 'Date'],
  bytea: ["'\\xfffe'", 'Buffer'],
  jsonb: [`'[1, {"a_b": ["text", null]}]'`, 'Array'],
  'text[]': [`'{"a,b",c}'`, 'Array'],
  'integer[]': ["'{1,2}'", 'Array'],
};
/** An integer of 64 bits, more than a number holds. */
const LARGE = ['-9007199254740993', 'String'] as const;

function sampleOf(property: EntityProperty): readonly [string, string] {
  const { type } = ofEntity(property);
  const sample = type === 'bigint' && property.runtimeType === 'string' ? LARGE : SAMPLES[type];
  if (sample === undefined) throw new Error(`Add a sample of ${type}, the type of ${property.name}.`);
  return sample;
}

/** Values that decide where a row is kept. */
const CHOSEN: Readonly<Record<string, string>> = {
  'telemetry.kept_days': '30',
  'inference.kept_days': '30',
  'edge_heartbeat.kept_days': '30',
};

/** A row with a value in every column, whatever its constraints say. */
function insertSamples(meta: EntityMetadata): string {
  const given = meta.props.filter((property) => !property.autoincrement && property.generated === undefined);
  const columns = given.map((property) => property.fieldNames[0]);
  const values = columns.map(
    (column, at) => CHOSEN[`${meta.tableName}.${column}`] ?? sampleOf(given[at] as EntityProperty)[0],
  );
  return `insert into ${meta.tableName} (${columns.join(', ')}) values (${values.join(', ')})`;
}

const WITHOUT_CHECKS = `do $$ declare rule record; begin
  for rule in select conrelid::regclass as place, conname from pg_constraint
    where contype = 'c' and connamespace = 'public'::regnamespace and coninhcount = 0
  loop execute format('alter table %s drop constraint %I', rule.place, rule.conname); end loop; end $$`;

describe('entities', () => {
  let clone: TestDatabase;
  let owner: pg.Client;
  let orm: MikroORM;
  let database: Database;
  beforeAll(async () => {
    clone = await testDatabase();
    owner = new pg.Client({ connectionString: clone.ownerUrl });
    await owner.connect();
    orm = await MikroORM.init({ ...ormOptions, clientUrl: clone.appUrl });
    const { appUrl, platformUrl } = clone;
    database = await Database.open({
      appUrl,
      platformUrl,
      appPool: 3,
      platformPool: 2,
      applicationName: 'entities',
    });
  });
  afterAll(async () => {
    await database.close();
    await orm.close(true);
    await owner.end();
    await clone.drop();
  });

  const metadata = () => ENTITIES.map((schema) => orm.getMetadata().get(schema.meta.class as never));

  it('have every column of every table, with its type, default and whether it may be null, and no other', async () => {
    const inDatabase = new Map<string, Column>();
    for (const { key, ...column } of (await owner.query<Column & { key: string }>(DATABASE_COLUMNS)).rows) {
      if (OF_TOOLS.has(key.split('.')[0] as string)) continue;
      inDatabase.set(key, {
        ...column,
        type: TYPES[column.type] ?? column.type,
        default: plainDefault(column.default),
      });
    }
    const inEntities = new Map<string, Column>();
    for (const meta of metadata())
      for (const property of meta.props)
        inEntities.set(`${meta.tableName}.${property.fieldNames[0]}`, ofEntity(property));
    expect(Object.fromEntries([...inEntities].sort())).toEqual(Object.fromEntries([...inDatabase].sort()));
  });

  it('name the columns of each key that the database has as primary key', async () => {
    const keys = await owner.query<{ name: string; columns: string[] }>(
      `select c.relname as name, array_agg(a.attname::text order by a.attname) as columns
       from pg_index i join pg_class c on c.oid = i.indrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
       where i.indisprimary and not c.relispartition and c.relnamespace = 'public'::regnamespace group by 1`,
    );
    const inDatabase = new Map(keys.rows.map((row) => [row.name, row.columns]));
    for (const meta of metadata()) {
      const named = meta.primaryKeys
        .map((key) => meta.properties[key as never] as EntityProperty)
        .flatMap((key) => key.fieldNames);
      expect([meta.tableName, named.sort()]).toEqual([meta.tableName, inDatabase.get(meta.tableName)]);
    }
  });

  it('are read alike as entity and by Kysely in every table: numbers as numbers, times as dates', async () => {
    const { ownerUrl } = clone;
    const asOwner = await Database.open({
      appUrl: ownerUrl,
      platformUrl: ownerUrl,
      appPool: 1,
      platformPool: 1,
      applicationName: 'samples',
    });
    const rolledBack = new Error('rolled back');
    const reading = asOwner.inPlatform(async (tx) => {
      await tx.execute('set local session_replication_role = replica');
      await tx.execute(WITHOUT_CHECKS);
      for (const meta of metadata()) {
        await tx.execute(`delete from ${meta.tableName}`);
        await tx.execute(insertSamples(meta));
        const byKysely = await tx.kysely
          .selectFrom(meta.tableName as 'dataset')
          .selectAll()
          .execute();
        const byEntity = await tx.em.find(meta.class as typeof Dataset, {});
        const ofRow = (row: unknown, what: (value: unknown, property: EntityProperty) => unknown) =>
          meta.props.map((property) => [
            `${meta.tableName}.${property.name}`,
            what((row as Record<string, unknown>)[property.name], property),
          ]);
        const value = (found: unknown) => found;
        const type = (found: unknown) => found?.constructor.name;
        expect(ofRow(byEntity[0], value)).toStrictEqual(ofRow(byKysely[0], value));
        expect(ofRow(byKysely[0], type)).toEqual(ofRow({}, (_, property) => sampleOf(property)[1]));
      }
      throw rolledBack;
    });
    await expect(reading).rejects.toBe(rolledBack);
    await asOwner.close();
  });

  it('refuse to be written after a step that their state machine does not have', async () => {
    const tenantId = asTenantId(randomUUID());
    await owner.query("insert into tenant (id, code, name) values ($1, 'steps', 'Steps')", [tenantId]);
    await owner.query("insert into dataset (tenant_id, key, name) values ($1, 'd', 'D')", [tenantId]);
    const become = (status: DatasetStatus) =>
      database.inTenant(tenantId, async (tx) => {
        const dataset = await tx.em.findOneOrFail(Dataset, { key: 'd' });
        dataset.status = status;
        await tx.em.flush();
      });
    await expect(become('FAILED')).rejects.toThrow('A dataset does not become FAILED from DRAFT.');
    await become('VALIDATING');
    await become('FAILED');
    const read = await owner.query('select status from dataset where tenant_id = $1', [tenantId]);
    expect(read.rows).toEqual([{ status: 'FAILED' }]);
  });

  it('can all be read by Kysely under the names that they give', async () => {
    await database.inPlatform(async (tx) => {
      for (const meta of metadata()) {
        const columns = meta.props.map((property) => property.name);
        await tx.kysely
          .selectFrom(meta.tableName as keyof Tables)
          .select(columns as never[])
          .limit(0)
          .execute();
      }
    });
  });
});

describe('transactions of several roles and tenants', () => {
  let clone: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    clone = await testDatabase();
    const { appUrl, platformUrl } = clone;
    database = await Database.open({
      appUrl,
      platformUrl,
      appPool: 4,
      platformPool: 2,
      applicationName: 'nesting',
    });
  });
  afterAll(async () => {
    await database.close();
    await clone.drop();
  });

  const WHO = "select current_user as role, current_setting('app.tenant', true) as tenant";
  interface Who {
    readonly role: string;
    readonly tenant: string | null;
  }

  it('keep their own role and tenant when one runs inside another', async () => {
    const [a, b] = [asTenantId(randomUUID()), asTenantId(randomUUID())];
    const seen: Array<Who | undefined> = [];
    await database.inPlatform(async (platform) => {
      await database.inTenant(a, async (outer) => {
        await database.inTenant(b, async (inner) => {
          await database.inPlatform(async (last) => {
            for (const tx of [platform, outer, inner, last]) {
              seen.push((await tx.query<Who>(WHO))[0]);
              const byKysely = await sql<Who>`select current_user as role`.execute(tx.kysely);
              expect(byKysely.rows[0]?.role).toBe(seen.at(-1)?.role);
            }
          });
        });
      });
    });
    expect(seen.map((who) => who?.role)).toEqual([
      'visionops_platform',
      'visionops_app',
      'visionops_app',
      'visionops_platform',
    ]);
    expect(seen.map((who) => who?.tenant || null)).toEqual([null, a, b, null]);
  });

  it('give the place of a connection that was lost amid a transaction back to the pool', async () => {
    const { appUrl, platformUrl } = clone;
    const small = await Database.open({
      appUrl,
      platformUrl,
      appPool: 1,
      platformPool: 1,
      applicationName: 'lost',
    });
    const tenantId = asTenantId(randomUUID());
    for (let turn = 0; turn < 3; turn += 1) {
      const lost = small.inTenant(tenantId, (tx) =>
        tx.query('select pg_terminate_backend(pg_backend_pid())'),
      );
      await expect(lost).rejects.toMatchObject({ code: 'service_unavailable' });
    }
    expect(await small.inTenant(tenantId, (tx) => tx.query('select 1 as one'))).toEqual([{ one: 1 }]);
    await small.close();
  });

  it('leave nothing of a tenant on a connection that another takes', async () => {
    const tenantId = asTenantId(randomUUID());
    for (let turn = 0; turn < 8; turn += 1) await database.inTenant(tenantId, (tx) => tx.query('select 1'));
    const seen = await database.inPlatform((tx) => tx.query<Who>(WHO));
    expect(seen[0]?.tenant || null).toBeNull();
  });

  it('tell what happens after the commit only once it is durable, and nothing after a rollback', async () => {
    const tenantId = asTenantId(randomUUID());
    const events: string[] = [];
    await database.inTenant(tenantId, async (tx) => {
      tx.afterCommit(() => events.push('committed'));
      events.push('worked');
    });
    await expect(
      database.inTenant(tenantId, async (tx) => {
        tx.afterCommit(() => events.push('never'));
        throw new Error('refused');
      }),
    ).rejects.toThrow('refused');
    expect(events).toEqual(['worked', 'committed']);
  });

  it('answers as usual when a callback throws after the commit, reports it and runs those that follow', async () => {
    const { appUrl, platformUrl } = clone;
    const reported: unknown[] = [];
    const watched = await Database.open({
      ...{ appUrl, platformUrl, appPool: 1, platformPool: 1, applicationName: 'callbacks' },
      onCallbackError: (error) => reported.push(error),
    });
    const broken = new Error('a broken callback');
    const events: string[] = [];
    const answer = await watched.inTenant(asTenantId(randomUUID()), async (tx) => {
      tx.afterCommit(() => {
        throw broken;
      });
      tx.afterCommit(() => events.push('later'));
      return 'answer';
    });
    expect([answer, events, reported]).toEqual(['answer', ['later'], [broken]]);
    await watched.close();
  });
});
