import { afterAll, beforeAll } from '@jest/globals';
import type { TenantId } from '../../core/security/ids.js';
import { Database } from '../../models/orm/in-tenant.js';
import { newTenant } from '../api/registry/support/registry-builders.js';
import { testDatabase, type TestDatabase } from '../setup/engines.js';

/** Opens a database with one tenant before the tests of a file, and removes it after them. */
export function tenantDatabase(pools: { readonly appPool: number; readonly platformPool: number }) {
  let clone: TestDatabase;
  let db: Database;
  let tenantId: TenantId;
  beforeAll(async () => {
    clone = await testDatabase();
    const { appUrl, platformUrl } = clone;
    db = await Database.open({ appUrl, platformUrl, ...pools, applicationName: 'test' });
    tenantId = await newTenant(db);
  });
  afterAll(async () => {
    await db?.close();
    await clone?.drop();
  });
  return {
    get db() {
      return db;
    },
    get tenantId() {
      return tenantId;
    },
  };
}
