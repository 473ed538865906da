import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ManagedObjectStore } from '../../adapters/minio/minio-object-store.js';
import { sweepOrphanedObjects } from '../../activities/objects/orphaned-object-sweeper.platform.js';
import { createLogger } from '../../core/logging/logger.js';
import type { TenantId } from '../../core/security/ids.js';
import { ANY_MULTIPART, recordOrphanedObjects } from '../../models/objects/orphaned-object.commands.js';
import { pauseRemovals } from '../../models/objects/removal-pause.sql.js';
import { directConnection } from '../../models/orm/direct-connection.js';
import { Database } from '../../models/orm/in-tenant.js';
import { newTenant } from '../api/registry/support/registry-builders.js';
import { type TestDatabase, testDatabase, testObjectStore } from '../setup/engines.js';

const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });

describe('removing orphaned objects', () => {
  let clone: TestDatabase;
  let db: Database;
  let store: ManagedObjectStore;
  let tenant: TenantId;
  beforeAll(async () => {
    clone = await testDatabase();
    db = await Database.open({
      appUrl: clone.appUrl,
      platformUrl: clone.platformUrl,
      appPool: 2,
      platformPool: 2,
      applicationName: 'test',
    });
    tenant = await newTenant(db);
    store = await testObjectStore();
    await store.ensureBucket();
  });
  afterAll(async () => {
    await store?.close();
    await db?.close();
    await clone?.drop();
  });

  /** The store as it is, except that one key cannot be had. */
  const refusing = (method: 'abortMultipart' | 'remove', stuck: string): ManagedObjectStore => {
    const refuse = {
      abortMultipart: (key: string, id: string | null) =>
        key === stuck ? Promise.reject(new Error('stuck')) : store.abortMultipart(key, id),
    };
    const keep = {
      remove: (keys: readonly string[]) =>
        keys.includes(stuck) ? Promise.reject(new Error('stuck')) : store.remove(keys),
    };
    return Object.assign(Object.create(store) as ManagedObjectStore, method === 'remove' ? keep : refuse);
  };
  const left = () =>
    db.inTenant(tenant, (tx) =>
      tx.query<{ object_key: string }>('select object_key from orphaned_object where tenant_id = $1', [
        tx.tenantId,
      ]),
    );

  it('waits while a backup copies objects, and goes on once its connection has ended', async () => {
    const backup = directConnection({ connectionString: clone.ownerUrl });
    await backup.connect();
    expect(await pauseRemovals(backup)).toBe(true);
    await db.inTenant(tenant, (tx) => recordOrphanedObjects(tx, [{ key: `t/${tenant}/dataset/waits` }], 0));
    expect(await sweepOrphanedObjects({ database: db, objects: store, logger })).toBe(0);
    expect(await left()).toEqual([{ object_key: `t/${tenant}/dataset/waits` }]);
    await backup.end();
    for (let tries = 50; tries > 0 && (await left()).length > 0; tries -= 1) {
      await sweepOrphanedObjects({ database: db, objects: store, logger });
      await sleep(50);
    }
    expect(await left()).toEqual([]);
  });

  it.each(['abortMultipart', 'remove'] as const)(
    'goes on with the others when one fails: %s',
    async (method) => {
      const keys = Array.from({ length: 20 }, () => `t/${tenant}/loose/${randomUUID()}`);
      for (const key of keys) await store.put(key, Buffer.from('x'), 1);
      await db.inTenant(tenant, (tx) =>
        recordOrphanedObjects(
          tx,
          keys.map((key) => ({ key, multipartId: ANY_MULTIPART })),
          0,
        ),
      );
      const stuck = keys[3] as string;
      expect(await sweepOrphanedObjects({ database: db, objects: refusing(method, stuck), logger })).toBe(19);
      expect(await left()).toEqual([{ object_key: stuck }]);
      expect(
        (await Promise.all(keys.map((key) => store.head(key)))).filter((info) => info !== null),
      ).toHaveLength(1);
      await db.inTenant(tenant, (tx) =>
        tx.execute('update orphaned_object set due_at = now() where tenant_id = $1', [tx.tenantId]),
      );
      expect(await sweepOrphanedObjects({ database: db, objects: store, logger })).toBe(1);
      expect(await left()).toEqual([]);
    },
  );
});
