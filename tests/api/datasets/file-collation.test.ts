import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { type FileRow, listFiles } from '../../../models/datasets/files/dataset-file.queries.js';
import type { FilePlace } from '../../../models/datasets/files/file-list.types.js';
import { fileMatch } from '../../../models/datasets/files/file-match.rules.js';
import { Database } from '../../../models/orm/in-tenant.js';
import { migrate } from '../../../models/orm/migrate.js';
import { type TestDatabase, testDatabase } from '../../setup/engines.js';

/** In the order of their bytes, which is not that of a dictionary. */
const PATHS = ['B/1.png', 'Z.png', '_z.png', 'a 2.png', 'a-1.png', 'a.png', 'a/1.png', 'b/1.png', 'z.png'];

describe('files in a database that orders letters as a dictionary does', () => {
  const tenantId = asTenantId(randomUUID());
  const dataset = { id: randomUUID(), revision: 1, status: 'DRAFT' as const, fileCount: PATHS.length };
  let made: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    made = await testDatabase('template0', "locale_provider icu icu_locale 'en-US'");
    await migrate({ ownerUrl: made.ownerUrl, passwords: null });
    const { appUrl, platformUrl } = made;
    const pools = { appPool: 1, platformPool: 1, directPool: 1 };
    db = await Database.open({ appUrl, platformUrl, ...pools, applicationName: 'test' });
    await db.inPlatform((tx) =>
      tx.execute("insert into tenant (id, code, name) values ($1, 'team', 'Team')", [tenantId]),
    );
    await db.inTenant(tenantId, async (tx) => {
      await tx.execute("insert into dataset (id, tenant_id, key, name) values ($1, $2, 'set', 'Set')", [
        dataset.id,
        tenantId,
      ]);
      await tx.execute(
        `insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, added_revision)
         select $1, $2, path, repeat('0', 64), 1, 'k', 'image/png', 'image', 1 from unnest($3::text[]) as path`,
        [tenantId, dataset.id, PATHS],
      );
    });
  });
  afterAll(async () => {
    await db?.close();
    await made?.drop();
  });

  it.each([
    ['png', 'asc'],
    ['png', 'desc'],
    [null, 'asc'],
    [null, 'desc'],
  ] as const)('are each listed once, page by page: %s %s', async (text, order) => {
    const page = (after: FilePlace | null) =>
      db.inTenant(tenantId, (tx) =>
        listFiles(tx, dataset, fileMatch(text, {}), { sort: 'path', order }, { limit: 2, offset: 0, after }),
      );
    const seen: string[] = [];
    for (let { rows } = await page(null); rows.length > 0; ) {
      seen.push(...rows.map(({ path }) => path));
      const last = rows.at(-1) as FileRow;
      ({ rows } = await page({ value: last.path, id: last.id }));
    }
    expect(seen).toEqual(order === 'asc' ? PATHS : PATHS.toReversed());
  });
});
