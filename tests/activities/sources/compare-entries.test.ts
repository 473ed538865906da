import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { asTenantId } from '../../../core/security/ids.js';
import { compareEntries } from '../../../models/sources/sync-entry.repository.js';
import { startTestApi, type TestApi, type TestTenant } from '../../api/support/test-api.js';

/** `SCALE_FILES=200000` measures the size a dataset may have. */
const FILES = Number(process.env.SCALE_FILES ?? 4000);
const FOLDERS = 250;

describe('a manifest compared with the files of its dataset', () => {
  let api: TestApi;
  let tenant: TestTenant;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
  });
  afterAll(() => api?.close());

  /** @param manifest, uploaded as SQL that answers paths */
  async function compared(manifest: string, uploaded: string, params: unknown[]): Promise<{ actions: Map<string, string>; ms: number }> {
    const [dataset, source, sync] = [randomUUID(), randomUUID(), randomUUID()];
    return api.container.db.inTenant(asTenantId(tenant.id), async (tx) => {
      await tx.execute("insert into dataset (id, tenant_id, key, name) values ($2, $1, $3, 'Compared')", [tenant.id, dataset, `c-${dataset}`]);
      await tx.execute(
        "insert into dataset_sync (id, tenant_id, dataset_id, source_id, source_key, source_name, remote_dataset_id, trigger, status) values ($2, $1, $3, $4, 's', 's', 'r', 'manual', 'done')",
        [tenant.id, sync, dataset, source],
      );
      await tx.execute(
        `insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, origin, added_revision)
         select '${tenant.id}', '${dataset}', p, repeat('0', 64), 1, gen_random_uuid()::text, 'x', 'other', 'upload', 1 from (${uploaded}) u (p)`,
        params,
      );
      await tx.execute(
        `insert into dataset_sync_entry (tenant_id, sync_id, position, path, sha256, size_bytes)
         select '${tenant.id}', '${sync}', row_number() over (), p, repeat('1', 64), 1 from (${manifest}) m (p)`,
        params,
      );
      const begin = performance.now();
      await compareEntries(tx, sync, dataset);
      const ms = performance.now() - begin;
      const rows = await tx.query<{ path: string; action: string }>(
        'select path, action from dataset_sync_entry where tenant_id = $1 and sync_id = $2 order by position limit 1000',
        [tenant.id, sync],
      );
      return { actions: new Map(rows.map(({ path, action }) => [path, action])), ms };
    });
  }

  it('finds every path that would be a file and a folder at once, in the manifest or with an upload', async () => {
    const path = fc.array(fc.constantFrom('a', 'b', 'a!', 'a-', 'a0', 'é', '🙂'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(path, { maxLength: 25 }), fc.uniqueArray(path, { maxLength: 12 }), async (manifest, uploads) => {
        // Of uploads none is inside another.
        const apart = uploads.filter((one) => !uploads.some((other) => one.startsWith(`${other}/`)));
        const { actions } = await compared('select unnest($1::text[]) where $2::text[] is not null', 'select unnest($2::text[]) where $1::text[] is not null', [manifest, apart]);
        const all = [...manifest, ...apart];
        for (const one of manifest) {
          const isClash = all.some((other) => one.startsWith(`${other}/`) || other.startsWith(`${one}/`));
          expect([one, actions.get(one)]).toEqual([one, isClash ? 'clash' : apart.includes(one) ? 'keep' : 'add']);
        }
      }),
      { numRuns: 40 },
    );
  });

  it(`takes time in proportion to the files, however deep they lie (${FOLDERS} folders)`, async () => {
    const deep = (letter: string) => `select '${letter}' || n % 1000 || '/' || repeat('f/', ${FOLDERS - 10}) || n from generate_series(1, ${FILES}) as n where $1::int > 0`;
    const { actions, ms } = await compared(deep('m'), deep('u'), [1]);
    if (process.env.SCALE_FILES) process.stdout.write(`${FILES} files in ${FOLDERS} folders: ${Math.round(ms)} ms\n`);
    expect(new Set(actions.values())).toEqual(new Set(['add']));
    expect(ms).toBeLessThan(10_000 + FILES);
  }, 600_000);
});
