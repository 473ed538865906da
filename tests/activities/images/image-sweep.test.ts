import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GRACE_S, createImageSweep } from '../../../activities/images/image-sweep.platform.js';
import type { TenantId } from '../../../core/security/ids.js';
import { OBJECTS_OF_ROWS } from '../../../models/backup/object-references.sql.js';
import { blobKey } from '../../../models/images/image.types.js';
import { leaseRemovals, retireUnusedBlobs } from '../../../models/images/image-blob.sql.js';
import { recordBlob } from '../../../models/images/image-blob.commands.js';
import { Database } from '../../../models/orm/in-tenant.js';
import { newTenant } from '../../api/registry/support/registry-builders.js';
import { type TestDatabase, testDatabase, testObjectStore } from '../../setup/engines.js';

describe('the sweep of image blobs', () => {
  let clone: TestDatabase;
  let db: Database;
  let objects: Awaited<ReturnType<typeof testObjectStore>>;
  let one: TenantId;
  let two: TenantId;

  beforeAll(async () => {
    clone = await testDatabase();
    db = await Database.open({
      appUrl: clone.appUrl,
      platformUrl: clone.platformUrl,
      appPool: 4,
      platformPool: 2,
      applicationName: 'test',
    });
    objects = await testObjectStore();
    [one, two] = [await newTenant(db), await newTenant(db)];
  });
  afterAll(async () => {
    await objects.close();
    await db.close();
    await clone.drop();
  });

  const blob = async (...tenants: TenantId[]) => {
    const digest = `sha256:${randomBytes(32).toString('hex')}`;
    for (const tenant of tenants)
      await db.inTenant(tenant, (tx) => recordBlob(tx, { mediaType: 'x', digest, size: 4 }));
    await objects.put(blobKey(digest), Buffer.from('blob'), 4);
    return digest;
  };
  const age = (tenant: TenantId, digest: string) =>
    db.inPlatform((tx) =>
      tx.execute(
        "update image_blob set created_at = now() - interval '3 hours' where tenant_id = $1 and digest = $2",
        [tenant, digest],
      ),
    );
  const isStored = async (digest: string) => (await objects.head(blobKey(digest))) !== null;
  const sweep = () => createImageSweep(db, objects).run(new AbortController().signal);

  it('removes what no manifest names, but neither fresh blobs nor those of another tenant', async () => {
    const [old, fresh, shared, named] = [
      await blob(one),
      await blob(one),
      await blob(one, two),
      await blob(one),
    ];
    for (const digest of [old, shared, named]) await age(one, digest);
    await db.inTenant(one, async (tx) => {
      await tx.execute(
        "insert into image_manifest (tenant_id, repository, digest, media_type, body) values ($1, 'a/b', $2, 'x', '')",
        [one, named],
      );
      await tx.execute(
        'insert into image_manifest_blob (tenant_id, manifest_id, digest) select tenant_id, id, digest from image_manifest where tenant_id = $1',
        [one],
      );
    });
    expect(await sweep()).toBe(2);
    // A backup asks for those alone that must be there.
    const backedUp = await db.inPlatform((tx) => tx.query<{ key: string }>(OBJECTS_OF_ROWS));
    expect(backedUp.map(({ key }) => key)).toEqual([blobKey(named)]);
    expect([
      await isStored(old),
      await isStored(fresh),
      await isStored(shared),
      await isStored(named),
    ]).toEqual([false, true, true, true]);
    await age(two, shared);
    expect(await sweep()).toBe(1);
    expect(await isStored(shared)).toBe(false);
  });

  it('keeps bytes that are wanted again before they go, and refuses them while they go', async () => {
    const [wanted, going] = [await blob(one), await blob(one)];
    const note = (digest: string) =>
      db.inTenant(two, (tx) => recordBlob(tx, { mediaType: 'x', digest, size: 4 }));
    for (const digest of [wanted, going]) await age(one, digest);
    await db.inPlatform((tx) => retireUnusedBlobs(tx, 20, GRACE_S));
    await note(wanted);
    expect(await db.inPlatform((tx) => leaseRemovals(tx, 20))).toEqual([going]);
    await expect(note(going)).rejects.toMatchObject({ code: 'service_unavailable' });
    // A sweeper that died: another takes over once the lease is over.
    await db.inPlatform((tx) => tx.execute('update image_blob_removal set leased_until = now()'));
    await sweep();
    expect([await isStored(wanted), await isStored(going)]).toEqual([true, false]);
    await note(going);
  });

  it('empties more than one batch', async () => {
    for (const digest of await Promise.all(Array.from({ length: 45 }, () => blob(two))))
      await age(two, digest);
    expect(await sweep()).toBe(45);
  });
});
