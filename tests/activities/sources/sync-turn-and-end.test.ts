import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { SYSTEM_ACTOR } from '../../../models/audit/audit.types.js';
import type { TenantTransaction } from '../../../models/orm/transaction.js';
import { cancelSync } from '../../../models/sources/sync/dataset-sync.commands.js';
import { storePlan } from '../../../models/sources/sync/sync-plan.commands.js';
import { endSync, finishSync } from '../../../models/sources/sync/sync-run.commands.js';
import { admitSync } from '../../../models/sources/sync/sync-turn.commands.js';
import { bringBackEntries, takeEntries } from '../../../models/sources/sync/sync-copy.sql.js';
import { recordSourceAway, recordSourceBack } from '../../../models/sources/sync/sync-row.commands.js';
import { addSync, openSyncLab, type SyncLab } from './support/sync-lab.js';

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

describe('a sync that ends', () => {
  const entry = (
    tx: TenantTransaction,
    sync: string,
    position: number,
    more: Readonly<Record<string, unknown>> = {},
  ) => {
    const row: Record<string, unknown> = {
      path: `${position}.png`,
      sha256: '1'.repeat(64),
      size_bytes: 1,
      action: 'add',
      object_key: `t/${sync}/${position}`,
      ...more,
    };
    const names = Object.keys(row);
    return tx.execute(
      `insert into dataset_sync_entry (tenant_id, sync_id, position, ${names.join(', ')}) values ($1, $2, $3, ${names.map((_, at) => `$${at + 4}`).join(', ')})`,
      [tx.tenantId, sync, position, ...Object.values(row)],
    );
  };
  /** Files of an earlier sync. */
  const synced = (tx: TenantTransaction, dataset: string, paths: readonly string[]) =>
    tx.execute(
      `with counted as (update dataset set file_count = cardinality($3::text[]), file_bytes = cardinality($3::text[]) where id = $2)
       insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, origin, added_revision)
       select $1, $2, path, repeat('1', 64), 1, gen_random_uuid()::text, 'x', 'other', 'sync', 1 from unnest($3::text[]) as f (path)`,
      [tx.tenantId, dataset, paths],
    );
  const pathsOf = async (dataset: string) =>
    (
      await inTenant((tx) =>
        tx.query<{ path: string }>('select path from dataset_file where dataset_id = $1 order by path', [
          dataset,
        ]),
      )
    ).map(({ path }) => path);
  const ask = (tx: TenantTransaction, dataset: string, sync: string) =>
    cancelSync(tx, SYSTEM_ACTOR, `c-${dataset}`, sync);

  it('frees what is stored of a large file that was brought back and waits for its place', async () => {
    const sync = randomUUID();
    await inTenant(async (tx) => {
      await addSync(tx, sync);
      await entry(tx, sync, 0, {
        size_bytes: 20 * 2 ** 20,
        state: 'later',
        tries: 1,
        multipart_id: 'm',
        bytes_done: 8 * 2 ** 20,
      });
      await bringBackEntries(tx, sync, null);
      await expect(takeEntries(tx, sync, { after: -1, limit: 10, isAnySize: false })).resolves.toEqual([]);
    });
    await inTenant((tx) => endSync(tx, { tenantId: tenant.id, syncId: sync }, { status: 'canceled' }));
    const loose = await inTenant((tx) =>
      tx.query('select multipart_id from orphaned_object where object_key = $1', [`t/${sync}/0`]),
    );
    expect(loose).toEqual([{ multipart_id: expect.any(String) }]);
  });

  it('takes a cancel at once while its manifest is compared', async () => {
    const [sync, dataset, leaving, holder] = [
      randomUUID(),
      randomUUID(),
      new AbortController(),
      new EventEmitter(),
    ];
    await inTenant(async (tx) => {
      await addSync(tx, sync, dataset);
      await entry(tx, sync, 0, { action: null, object_key: null });
    });
    const row = await requireSync(sync);
    const attempt = 0;
    const held = once(holder, 'held');
    // The comparison cannot write this entry until somebody else has let go of it.
    const holding = inTenant(async (tx) => {
      await tx.query('select 1 from dataset_sync_entry where sync_id = $1 for update', [sync]);
      holder.emit('held');
      await once(holder, 'go');
    });
    await held;
    const planning = inTenant((tx) => storePlan(tx, row, attempt), leaving.signal);
    const cut = expect(planning).rejects.toThrow('canceled');
    await untilHeldUp();
    await inTenant(async (tx) => {
      // Fails where it waits for a lock that the comparison holds.
      await tx.query("set local lock_timeout = '2s'");
      await ask(tx, dataset, sync);
    });
    leaving.abort(new Error('canceled'));
    await cut;
    holder.emit('go');
    await holding;
    await inTenant((tx) => endSync(tx, { tenantId: tenant.id, syncId: sync }, { status: 'canceled' }));
    expect(await requireSync(sync)).toMatchObject({ status: 'canceled', plan: null });
  });

  /** Waits until a statement about entries waits for a lock. */
  const untilHeldUp = async () => {
    for (let left = 200; left > 0; left -= 1) {
      const found = await inTenant((tx) =>
        tx.query(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%dataset_sync_entry%' and pid <> pg_backend_pid()",
        ),
      );
      if (found.length > 0) return;
      await sleep(20);
    }
    throw new Error('nothing was held up');
  };

  it('adds up sizes that no bigint can hold', async () => {
    const [sync, dataset] = [randomUUID(), randomUUID()];
    const sizes = 1025;
    await inTenant(async (tx) => {
      await addSync(tx, sync, dataset);
      await synced(
        tx,
        dataset,
        Array.from({ length: sizes }, (_, n) => `same/${n}`),
      );
      await tx.execute(
        `insert into dataset_sync_entry (tenant_id, sync_id, position, path, sha256, size_bytes)
         select $1, $2, n, case when n < $3 then 'same/' || n else 'huge/' || n end, repeat('1', 64), $4 from generate_series(0, 2 * $3::int - 1) as n`,
        [tenant.id, sync, sizes, Number.MAX_SAFE_INTEGER],
      );
    });
    const row = await requireSync(sync);
    const plan = await inTenant((tx) => storePlan(tx, row, 0));
    expect(plan.unchanged).toEqual({ files: sizes, bytes: sizes * Number.MAX_SAFE_INTEGER });
    expect(await requireSync(sync)).toMatchObject({ plan, errorCount: sizes, bytesTotal: 0 });
  });

  /** A planned sync of a dataset with the files `a` and `b`, of which the manifest names `a`, and `new` which could not be had. */
  const planned = async (copied: boolean, stays: boolean) => {
    const [sync, dataset] = [randomUUID(), randomUUID()];
    await inTenant(async (tx) => {
      await addSync(tx, sync, dataset);
      await synced(tx, dataset, ['a', 'b']);
      await entry(tx, sync, 0, {
        path: 'new',
        ...(copied ? { state: 'copied', media_type: 'x', kind: 'other' } : { state: 'failed' }),
      });
      if (stays) await entry(tx, sync, 1, { path: 'a', action: 'same', object_key: null });
      await tx.execute('update dataset_sync set files_total = 1, error_count = $2 where id = $1', [
        sync,
        copied ? 0 : 1,
      ]);
    });
    return {
      sync,
      dataset,
      finish: () => inTenant((tx) => finishSync(tx, { tenantId: tenant.id, syncId: sync })),
    };
  };

  it('is called off when somebody asked for it, although everything was copied', async () => {
    const { sync, dataset, finish } = await planned(true, true);
    await inTenant((tx) => ask(tx, dataset, sync));
    await finish();
    expect(await requireSync(sync)).toMatchObject({
      status: 'canceled',
      statusMessage: expect.stringMatching(/the dataset is unchanged/),
    });
    expect(await pathsOf(dataset)).toEqual(['a', 'b']);
  });

  it('is done where one file stays bad and others are here already', async () => {
    const { sync, dataset, finish } = await planned(false, true);
    await finish();
    expect(await requireSync(sync)).toMatchObject({
      status: 'done',
      statusMessage: '0 files copied, 1 removed, 1 could not be taken.',
    });
    expect(await pathsOf(dataset)).toEqual(['a']);
  });

  it('fails where nothing of the manifest can be had, and removes nothing', async () => {
    const { sync, dataset, finish } = await planned(false, false);
    await finish();
    expect(await requireSync(sync)).toMatchObject({
      status: 'failed',
      statusMessage: expect.stringMatching(/^None of 1 file/),
    });
    expect(await pathsOf(dataset)).toEqual(['a', 'b']);
  });
});

describe('the turn of a sync', () => {
  it('comes beside others of a source that is away, of which two wait for it', async () => {
    const own = await api.addTenant();
    const within = <T>(work: (tx: TenantTransaction) => Promise<T>) =>
      api.container.db.inTenant(asTenantId(own.id), work);
    const [dead, healthy] = [randomUUID(), randomUUID()];
    let order = 0;
    const queued = async (source: string): Promise<string> => {
      const sync = randomUUID();
      order += 1;
      await within(async (tx) => {
        await addSync(tx, sync, randomUUID(), { status: 'queued', source });
        await tx.execute(
          'update dataset_sync set created_at = now() + make_interval(secs => $2) where id = $1',
          [sync, order],
        );
      });
      return sync;
    };
    const admit = (sync: string) => within((tx) => admitSync(tx, { tenantId: own.id, syncId: sync }));
    const away = (sync: string) => within((tx) => recordSourceAway(tx, sync, 'Nobody answers.'));
    const [first, second, third, fourth] = [
      await queued(dead),
      await queued(dead),
      await queued(dead),
      await queued(dead),
    ];
    const [fifth, sixth, seventh] = [await queued(healthy), await queued(healthy), await queued(healthy)];
    expect([await admit(third), await admit(fifth)]).toEqual([{ ahead: 2 }, { ahead: 4 }]);
    expect([await admit(first), await admit(second), await admit(fifth)]).toEqual([true, true, { ahead: 0 }]);
    await away(first);
    expect([await admit(fifth), await admit(sixth)]).toEqual([true, { ahead: 0 }]);
    await away(second);
    // Others of the dead source wait, however long.
    expect([await admit(fourth), await admit(sixth), await admit(seventh)]).toEqual([
      { ahead: 1 },
      true,
      { ahead: 0 },
    ]);
    // What comes back runs beside the others, and nobody else begins meanwhile.
    await within((tx) => recordSourceBack(tx, first));
    await within((tx) => endSync(tx, { tenantId: own.id, syncId: sixth }, { status: 'canceled' }));
    expect([await admit(seventh), await admit(first)]).toEqual([{ ahead: 0 }, true]);
  });

  it('comes for one of each source that is away, and for no second one once eight of the tenant run', async () => {
    const own = await api.addTenant();
    const within = <T>(work: (tx: TenantTransaction) => Promise<T>) =>
      api.container.db.inTenant(asTenantId(own.id), work);
    const admitted = async (source: string): Promise<unknown> => {
      const sync = randomUUID();
      await within((tx) => addSync(tx, sync, randomUUID(), { status: 'queued', source }));
      const turn = await within((tx) => admitSync(tx, { tenantId: own.id, syncId: sync }));
      if (turn === true) await within((tx) => recordSourceAway(tx, sync, 'Nobody answers.'));
      return turn;
    };
    const sources = Array.from({ length: 9 }, () => randomUUID());
    const turns: unknown[] = [];
    for (const source of sources) turns.push(await admitted(source));
    expect(turns).toEqual(Array(9).fill(true));
    expect(await admitted(sources[0] as string)).toEqual({ ahead: 0 });
    expect(await admitted(randomUUID())).toBe(true);
  });

  it('is waited for without a word more than once', async () => {
    const own = await api.addTenant();
    const within = <T>(work: (tx: TenantTransaction) => Promise<T>) =>
      api.container.db.inTenant(asTenantId(own.id), work);
    const admitted = async (sync: string) => {
      await within((tx) => admitSync(tx, { tenantId: own.id, syncId: sync }));
      const rows = await within((tx) =>
        tx.rows('select status, status_message, updated_at from dataset_sync where id = $1', [sync]),
      );
      return rows[0];
    };
    const queued = async () => {
      const sync = randomUUID();
      await within((tx) => addSync(tx, sync, randomUUID(), { status: 'queued', source: randomUUID() }));
      return sync;
    };
    await admitted(await queued());
    await admitted(await queued());
    const third = await queued();
    const reported = await admitted(third);
    expect(reported).toMatchObject({ status: 'queued', statusMessage: 'Waiting for other syncs to end.' });
    expect(await admitted(third)).toEqual(reported);
  });

  it('never comes for one whose end was asked for', async () => {
    const [sync, dataset] = [randomUUID(), randomUUID()];
    await inTenant((tx) => addSync(tx, sync, dataset, { status: 'queued' }));
    await inTenant((tx) => cancelSync(tx, SYSTEM_ACTOR, `c-${dataset}`, sync));
    await expect(
      inTenant((tx) => admitSync(tx, { tenantId: tenant.id, syncId: sync })),
    ).rejects.toMatchObject({ code: 'conflict' });
  });
});
