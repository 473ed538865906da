import { createHash, randomUUID } from 'node:crypto';
import type { ManagedObjectStore } from '../../adapters/minio/minio-object-store.js';
import { asTenantId } from '../../core/security/ids.js';
import {
  MANIFEST_TAIL,
  manifestHead,
  manifestLine,
} from '../../models/datasets/validation/manifest.rules.js';
import type { ManifestFile } from '../../models/datasets/validation/manifest.types.js';
import type { Database } from '../../models/orm/in-tenant.js';

export interface BuiltFile {
  readonly path: string;
  readonly bytes: Buffer;
  /** What its line in the manifest says besides. */
  readonly more?: Partial<ManifestFile>;
}

export interface BuiltDataset {
  readonly key: string;
  readonly digest: string;
  readonly versionId: string;
}

/** A FROZEN dataset as a validation leaves it: objects, manifest and rows. The first folder of a path is the class. */
export async function freezeDataset(
  db: Database,
  store: ManagedObjectStore,
  tenant: string,
  key: string,
  files: readonly BuiltFile[],
): Promise<BuiltDataset> {
  const tenantId = asTenantId(tenant);
  const digest = createHash('sha256').update(randomUUID()).digest('hex');
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  const listed = [];
  for (let at = 0; at < sorted.length; at += 32) {
    const batch = sorted.slice(at, at + 32).map(async ({ path, bytes, more }) => {
      const objectKey = `t/${tenantId}/dataset/${randomUUID()}`;
      await store.put(objectKey, bytes, bytes.length);
      return {
        path,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        size: bytes.length,
        key: objectKey,
        kind: 'image' as const,
        label: path.split('/')[0] as string,
        ...more,
      };
    });
    listed.push(...(await Promise.all(batch)));
  }
  const manifestKey = `t/${tenantId}/manifest/${randomUUID()}`;
  const text = Buffer.from(`${manifestHead(digest)}${listed.map(manifestLine).join(',\n')}${MANIFEST_TAIL}`);
  await store.put(manifestKey, text, text.length);
  const counts = new Map<string, number>();
  for (const { label } of listed) counts.set(label, (counts.get(label) ?? 0) + 1);
  const classes = [...counts].sort().map(([name, count]) => ({ name, count }));
  const versionId = randomUUID();
  await db.inTenant(tenantId, async (tx) => {
    const [row] = await tx.query<{ id: string }>(
      `insert into dataset (tenant_id, key, name, status, validation_status) values ($1, $2, $2, 'FROZEN', 'PASSED') returning id`,
      [tenantId, key],
    );
    const size = files.reduce((sum, file) => sum + file.bytes.length, 0);
    await tx.execute(
      `insert into dataset_version (id, tenant_id, dataset_id, dataset_key, dataset_name, revision, digest, manifest_key, file_count, size_bytes, classes) values ($1, $2, $3, $4, $4, 0, $5, $6, $7, $8, $9)`,
      [versionId, tenantId, row?.id, key, digest, manifestKey, files.length, size, JSON.stringify(classes)],
    );
    await tx.execute(
      'update dataset set version_id = $2, file_count = $3, file_bytes = $4 where tenant_id = $1 and key = $5',
      [tenantId, versionId, files.length, size, key],
    );
  });
  return { key, digest, versionId };
}
