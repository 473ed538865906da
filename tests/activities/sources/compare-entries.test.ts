import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { writeManifestEntries } from '../../../activities/sources/sync-plan.js';
import type { RemoteFile } from '../../../core/ports/remote-source.js';
import { asTenantId } from '../../../core/security/ids.js';
import type { TenantTransaction } from '../../../models/orm/transaction.js';
import { restartPlan, storePlan } from '../../../models/sources/sync/sync-plan.commands.js';
import { endSync } from '../../../models/sources/sync/sync-run.commands.js';
import { type EntryResult, recordResults, takeEntries } from '../../../models/sources/sync/sync-copy.sql.js';
import { compareEntries } from '../../../models/sources/sync/sync-plan.sql.js';
import { addSync, openSyncLab, type SyncLab } from './support/sync-lab.js';

/** `SCALE_FILES=200000` measures the size a dataset may have. */
const FILES = Number(process.env.SCALE_FILES ?? 4000);
const FOLDERS = 250;

let lab: SyncLab;
let api: SyncLab['api'];
let tenant: SyncLab['tenant'];
let inTenant: SyncLab['inTenant'];
let requireSync: SyncLab['requireSync'];
beforeAll(async () => {
  lab = await openSyncLab();
  ({ api, tenant, inTenant, requireSync } = lab);
});
afterAll(() => lab?.close());

const beat = { progress: () => undefined };

describe('a manifest compared with the files of its dataset', () => {
  /** @param manifest, uploaded as SQL that answers paths */
  async function compared(
    manifest: string,
    uploaded: string,
    params: unknown[],
  ): Promise<{ actions: Map<string, string>; ms: number }> {
    const [dataset, sync] = [randomUUID(), randomUUID()];
    return inTenant(async (tx) => {
      await addSync(tx, sync, dataset);
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
    const path = fc
      .array(fc.constantFrom('a', 'b', 'a!', 'a-', 'a0', 'é', '🙂'), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('/'));
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(path, { maxLength: 25 }),
        fc.uniqueArray(path, { maxLength: 12 }),
        async (manifest, uploads) => {
          // No upload is inside another.
          const apart = uploads.filter((one) => !uploads.some((other) => one.startsWith(`${other}/`)));
          const { actions } = await compared(
            'select unnest($1::text[]) where $2::text[] is not null',
            'select unnest($2::text[]) where $1::text[] is not null',
            [manifest, apart],
          );
          const all = [...manifest, ...apart];
          for (const one of manifest) {
            const isClash = all.some((other) => one.startsWith(`${other}/`) || other.startsWith(`${one}/`));
            expect([one, actions.get(one)]).toEqual([
              one,
              isClash ? 'clash' : apart.includes(one) ? 'keep' : 'add',
            ]);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it(`takes time in proportion to the files, however deep they lie (${FOLDERS} folders)`, async () => {
    const deep = (letter: string) =>
      `select '${letter}' || n % 1000 || '/' || repeat('f/', ${FOLDERS - 10}) || n from generate_series(1, ${FILES}) as n where $1::int > 0`;
    const { actions, ms } = await compared(deep('m'), deep('u'), [1]);
    if (process.env.SCALE_FILES)
      process.stdout.write(`${FILES} files in ${FOLDERS} folders: ${Math.round(ms)} ms\n`);
    expect(new Set(actions.values())).toEqual(new Set(['add']));
    expect(ms).toBeLessThan(10_000 + FILES);
  }, 600_000);

  it('is given up at once when its sync is canceled, with nothing written', async () => {
    const [sync, leaving] = [randomUUID(), new AbortController()];
    const { db } = api.container;
    const begun = performance.now();
    const working = db.inTenant(
      asTenantId(tenant.id),
      async (tx) => {
        await addSync(tx, sync);
        setTimeout(() => leaving.abort(new Error('canceled')), 100);
        await tx.query('select pg_sleep(60)');
      },
      leaving.signal,
    );
    await expect(working).rejects.toThrow('canceled');
    expect(performance.now() - begun).toBeLessThan(10_000);
    await expect(
      db.inTenant(asTenantId(tenant.id), (tx) =>
        tx.query('select 1 from dataset_sync where id = $1', [sync]),
      ),
    ).resolves.toEqual([]);
    await expect(db.inTenant(asTenantId(tenant.id), async () => 'never', leaving.signal)).rejects.toThrow(
      'canceled',
    );
  });

  it('is written by the last attempt alone, although an earlier one still runs', async () => {
    const sync = randomUUID();
    const { db } = api.container;
    await inTenant((tx) => addSync(tx, sync));
    const row = await requireSync(sync);
    const write = (files: AsyncIterable<RemoteFile>) =>
      writeManifestEntries(db, asTenantId(tenant.id), row, files, beat);
    const later = new EventEmitter();
    const line = (path: string): RemoteFile => ({ path, sizeBytes: 1, sha256: 'a'.repeat(64) });
    // The first attempt is in the middle of the manifest when the second one begins; what it reads has changed since.
    const first = write(
      (async function* () {
        yield line('old');
        await once(later, 'now');
        yield line('both');
      })(),
    );
    const refused = expect(first).rejects.toMatchObject({ code: 'service_unavailable' });
    for (let left = 100; left > 0 && (await planAttempt(sync)) === 0; left -= 1) await sleep(20);
    const attempt = await write(
      (async function* () {
        yield line('both');
        yield line('new');
      })(),
    );
    later.emit('now');
    await refused;
    await expect(inTenant((tx) => storePlan(tx, row, attempt - 1))).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    await expect(inTenant((tx) => storePlan(tx, row, attempt))).resolves.toMatchObject({ add: { files: 2 } });
    // One that wakes only now is too late: its failure is tried again where anybody waits for it, and ends no sync.
    await expect(inTenant((tx) => restartPlan(tx, row))).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    await expect(
      inTenant((tx) => takeEntries(tx, sync, { after: -1, limit: 10, isAnySize: true })),
    ).resolves.toHaveLength(2);
    expect(await requireSync(sync)).toMatchObject({ errorCount: 0, filesTotal: 2 });
  });

  const planAttempt = async (sync: string): Promise<number> => {
    const [row] = await inTenant((tx) =>
      tx.query<{ plan_attempt: number }>('select plan_attempt from dataset_sync where id = $1', [sync]),
    );
    return row?.plan_attempt ?? 0;
  };

  it('takes and records files by looking at those alone, however many there are', async () => {
    const sync = randomUUID();
    const read = await inTenant(async (tx) => {
      await addSync(tx, sync);
      await tx.execute(
        `insert into dataset_sync_entry (tenant_id, sync_id, position, path, sha256, size_bytes, action, object_key)
         select $1, $2, n, n || '.png', repeat('1', 64), 1, 'add', gen_random_uuid()::text from generate_series(1, ${FILES}) as n`,
        [tenant.id, sync],
      );
      const before = await entriesRead(tx);
      const taken = await takeEntries(tx, sync, { after: -1, limit: 100, isAnySize: false });
      await recordResults(
        tx,
        sync,
        taken.map(({ position }) => ({ position, copied: { mediaType: 'image/png', kind: 'image' } })),
        0,
      );
      expect(taken).toHaveLength(100);
      return (await entriesRead(tx)) - before;
    });
    expect(read).toBeLessThan(1000);
  });

  /** Ten entries, of which number 3 is copied in parts. */
  const tenEntries = async (): Promise<string> => {
    const sync = randomUUID();
    await inTenant(async (tx) => {
      await addSync(tx, sync);
      await tx.execute(
        `insert into dataset_sync_entry (tenant_id, sync_id, position, path, sha256, size_bytes, action, object_key)
         select $1, $2, n, n || '.png', repeat('1', 64), case when n = 3 then 20000000 else 1 end, 'add', $3::text || n from generate_series(0, 9) as n`,
        [tenant.id, sync, sync],
      );
    });
    return sync;
  };
  const take = async (sync: string, after: number, limit: number, isAnySize = false) =>
    (await inTenant((tx) => takeEntries(tx, sync, { after, limit, isAnySize }))).map(
      ({ position }) => position,
    );
  const places = (sync: string) =>
    inTenant((tx) =>
      tx.query('select position, ctid::text from dataset_sync_entry where sync_id = $1 order by position', [
        sync,
      ]),
    );

  it('writes no entry to take it, and frees those that were taken and no others', async () => {
    const sync = await tenEntries();
    const before = await places(sync);
    expect(await take(sync, -1, 4)).toEqual([0, 1, 2, 4]);
    expect(await take(sync, -1, 4)).toEqual([0, 1, 2, 4]);
    expect(await take(sync, 4, 2)).toEqual([5, 6]);
    expect(await places(sync)).toEqual(before);
    await inTenant((tx) => endSync(tx, { tenantId: tenant.id, syncId: sync }, { status: 'canceled' }));
    expect(await looseOf(sync)).toEqual([0, 1, 2, 4, 5, 6]);
    expect(await take(sync, -1, 4)).toEqual([]);
  });

  it('frees a large file once it was taken, whatever small ones were before', async () => {
    const sync = await tenEntries();
    expect(await take(sync, -1, 10)).toHaveLength(9);
    expect(await take(sync, -1, 4, true)).toEqual([0, 1, 2, 3]);
    await inTenant((tx) => endSync(tx, { tenantId: tenant.id, syncId: sync }, { status: 'canceled' }));
    expect(await looseOf(sync)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('takes nothing of a sync that has ended', async () => {
    const sync = await tenEntries();
    await inTenant((tx) => tx.execute("update dataset_sync set status = 'canceled' where id = $1", [sync]));
    expect(await take(sync, -1, 4)).toEqual([]);
  });

  const looseOf = (sync: string) =>
    inTenant((tx) =>
      tx.query<{ at: number }>(
        'select right(object_key, 1)::int as at from orphaned_object where starts_with(object_key, $1::text) order by object_key',
        [sync],
      ),
    ).then((rows) => rows.map(({ at }) => at));

  it('records each result with its own file, and none twice', async () => {
    const sync = await tenEntries();
    await take(sync, -1, 10, true);
    const image = { mediaType: 'image/png', kind: 'image' } as const;
    const table = { mediaType: 'text/csv', kind: 'tabular' } as const;
    const record = (results: readonly EntryResult[]) => inTenant((tx) => recordResults(tx, sync, results, 0));
    await record([
      { position: 7, copied: table },
      { position: 2, copied: null },
      { position: 3, copied: image },
    ]);
    await record([
      { position: 7, copied: image },
      { position: 0, copied: table },
    ]);
    const rows = await inTenant((tx) =>
      tx.query(
        "select position, state, media_type, kind from dataset_sync_entry where sync_id = $1 and state <> 'planned' order by position",
        [sync],
      ),
    );
    expect(rows).toEqual([
      { position: 0, state: 'copied', media_type: 'text/csv', kind: 'tabular' },
      { position: 2, state: 'failed', media_type: null, kind: null },
      { position: 3, state: 'copied', media_type: 'image/png', kind: 'image' },
      { position: 7, state: 'copied', media_type: 'text/csv', kind: 'tabular' },
    ]);
    expect(await requireSync(sync)).toMatchObject({ filesDone: 3, bytesDone: 20_000_002 });
  });

  it('writes entries of new files once, with keys of their own', async () => {
    const [sync, dataset] = [randomUUID(), randomUUID()];
    await inTenant((tx) => addSync(tx, sync, dataset));
    const row = await requireSync(sync);
    const attempt = await writeManifestEntries(
      api.container.db,
      asTenantId(tenant.id),
      row,
      (async function* () {
        for (const path of ['a', 'b', 'b/c', 'd']) yield { path, sizeBytes: 1, sha256: 'a'.repeat(64) };
      })(),
      beat,
    );
    const before = await places(sync);
    await expect(inTenant((tx) => storePlan(tx, row, attempt))).resolves.toMatchObject({ add: { files: 2 } });
    const after = await places(sync);
    expect([after[0], after[3]]).toEqual([before[0], before[3]]);
    const keys = await inTenant((tx) =>
      tx.query<{ object_key: string | null }>(
        'select object_key from dataset_sync_entry where sync_id = $1 order by position',
        [sync],
      ),
    );
    expect(keys.map(({ object_key }) => object_key?.startsWith(`t/${tenant.id}/dataset/`) ?? null)).toEqual([
      true,
      null,
      null,
      true,
    ]);
    expect(keys[0]).not.toEqual(keys[3]);
  });
});

/** Rows of the table that the transaction has fetched by any index or scan. */
async function entriesRead(tx: TenantTransaction): Promise<number> {
  const [row] = await tx.query<{ n: number }>(
    "select (idx_tup_fetch + seq_tup_read)::int as n from pg_stat_xact_user_tables where relname = 'dataset_sync_entry'",
    [],
  );
  return row?.n ?? 0;
}
