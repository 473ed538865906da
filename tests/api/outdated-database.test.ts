import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { MIGRATIONS } from '../../models/migrations/list.js';
import { migrate } from '../../models/orm/migrate.js';
import { OutdatedDatabaseError } from '../../models/orm/outdated-database.js';
import { type TestDatabase, testDatabase } from '../setup/engines.js';

describe('bringing the schema up to date', () => {
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

  const migrateAgain = () => migrate({ ownerUrl: clone.ownerUrl, passwords: null });
  const applied = async () => {
    const { rows } = await owner.query<{ name: string }>('select name from mikro_orm_migrations order by id');
    return rows.map((row) => row.name);
  };

  it('has nothing to do where all migrations were applied, in the order of their names', async () => {
    expect(await applied()).toEqual(MIGRATIONS.map((migration) => migration.name).sort());
    expect(await migrateAgain()).toEqual({ applied: [], later: [] });
  });

  it('refuses a database from before the first release and names the next step', async () => {
    await owner.query('delete from mikro_orm_migrations');
    const names = ['m0001-roles', 'm0010-accounts-tenants'];
    await owner.query('insert into mikro_orm_migrations (name) select unnest($1::text[])', [names]);
    const refused = await migrateAgain().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OutdatedDatabaseError);
    expect((refused as Error).message).toContain('before the first release');
    expect((refused as Error).message).toContain('m0001-roles');
    expect((refused as Error).message).toContain('npm start -- reset --yes');
    expect(await applied()).toEqual(names);
  });
});
