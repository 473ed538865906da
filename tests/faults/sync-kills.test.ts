import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createWorkflowEngine } from '../../adapters/temporal/temporal-workflow-engine.js';
import { syncWorkflowId } from '../../models/sources/sync/dataset-sync-work.types.js';
import { SourceServer } from '../fakes/source-server/source-server.js';
import type { GeneratedDataset } from '../fakes/source-server/generated-dataset.js';
import { IS_FULL_RUN, killsOf } from './support/kills.js';
import { MortalPlatform } from './support/mortal-platform.js';

const KILLS = killsOf(100);
const FILES = 150;
const MIB = 2 ** 20;
const LARGE = 3;
/** Each costs half a minute. */
const CANCELS = IS_FULL_RUN ? 5 : 1;
/** In this order, over and over: four of five kills strike a worker, and the other worker goes on meanwhile. An outage of the source, which lives in this process, is no kill. */
const VICTIMS = ['worker', 'second worker', 'api', 'worker', 'second worker', 'source'] as const;
/** One file in four syncs is large enough for parts. */
const sizeOf = (n: number) => (n < LARGE ? 20 * MIB + n : 500 + n * 37);

jest.setTimeout(240_000 + KILLS * 30_000);

describe(`syncs while API and workers are killed ${KILLS} times and the source goes away`, () => {
  let platform: MortalPlatform;
  let source: SourceServer;
  const remotes: GeneratedDataset[] = [];

  const serve = async (port?: number) => {
    source = await SourceServer.start({
      token: 'a-token-of-the-tests',
      ...(port === undefined ? {} : { port }),
    });
    for (const remote of remotes) source.serve(remote);
    // Slow enough that a sync takes seconds and most kills strike in the middle of one.
    source.fail({ on: 'file', fault: { kind: 'delay', ms: 200 } });
  };
  beforeAll(async () => {
    await serve();
    for (const id of ['d0', 'd1', 'd2'])
      remotes.push(source.add({ id, files: FILES, sizeOf, pathOf: (n) => `c${n % 5}/${n}.bin` }));
    platform = await MortalPlatform.start({
      SERVICE_OUTBOUND_ALLOW: '127.0.0.0/8',
      SERVICE_SYNC_PATIENCE_S: '120',
    });
    platform.startWorker('second worker');
    expect(
      (
        await platform.ask('POST', '/external-sources', {
          name: 'Source',
          base_url: source.baseUrl,
          token: 'a-token-of-the-tests',
        })
      ).status,
    ).toBe(201);
  });
  afterAll(async () => {
    await platform?.close();
    await source?.close();
  });

  it('lose nothing, take nothing twice and leave no orphan object', async () => {
    const startedAt = Date.now();
    let [kills, outages] = [0, 0];
    const killer = (async () => {
      while (kills < KILLS) {
        await somethingMoved();
        await sleep(Math.random() * 2500);
        const victim = VICTIMS[(kills + outages) % VICTIMS.length] as (typeof VICTIMS)[number];
        if (victim === 'source') {
          const { port } = source;
          await source.close();
          await sleep(Math.random() * 1500);
          await serve(port);
          outages += 1;
        } else {
          await platform.replace(victim);
          kills += 1;
        }
      }
    })();
    const lines = remotes.map((remote) => syncAgainAndAgain(remote, () => kills >= KILLS));
    const ends = (await Promise.all([...lines, killer.then(() => [])])).flat();
    process.stderr.write(
      `  ${kills} kills and ${outages} outages of the source in ${Math.round((Date.now() - startedAt) / 1000)} s, ${ends.length} syncs: ${ends.filter((end) => end === 'done').length} done, ${ends.filter((end) => end === 'canceled').length} cancelled\n`,
    );
    for (const { plan } of remotes)
      await platform.until(
        `/datasets/${plan.id}`,
        ({ status }) => status === 'FROZEN' || status === 'FAILED',
      );
    await expect(platform.unaccounted()).resolves.toEqual([]);
    await expect(platform.query('select 1 from dataset_sync_entry limit 1')).resolves.toEqual([]);
    await expect(platform.storedOtherwise()).resolves.toEqual([]);
  });

  it('end soon after a cancel although the worker that copies has died', async () => {
    const remote = source.add({ id: 'slow', files: 400, sizeOf: (n) => 1000 + n });
    await platform.ask('POST', '/datasets', { id: 'slow', name: 'slow' });
    await platform.ask('PUT', '/datasets/slow/source', {
      source_id: 'source',
      remote_dataset_id: remote.plan.id,
    });
    const seconds: number[] = [];
    for (let round = 0; round < CANCELS; round += 1) {
      const syncId = await start('slow');
      await platform.until(`/datasets/slow/syncs/${syncId}`, ({ progress }) => progress.files_done > 0);
      const victim = await copierOf(syncId);
      await platform.kill(victim);
      const killedAt = Date.now();
      await platform.ask('POST', `/datasets/slow/syncs/${syncId}:cancel`);
      expect(
        await platform.until(`/datasets/slow/syncs/${syncId}`, ({ status }) => status !== 'running', 60_000),
      ).toMatchObject({ status: 'canceled' });
      seconds.push((Date.now() - killedAt) / 1000);
      await platform.replace(victim);
    }
    process.stderr.write(
      `  seconds from the cancel to the end, the worker having died: ${seconds.map((each) => each.toFixed(1)).join(', ')}\n`,
    );
    // The other worker takes over once the dead one's heartbeat and its hold on the workflow (10 s each) are missed; the guide says 30 s.
    expect(Math.max(...seconds)).toBeLessThan(30);
    expect(await filesOf('slow')).toEqual({});
    await expect(platform.unaccounted()).resolves.toEqual([]);
  });

  /** Which worker holds the activity that copies for this sync; Temporal knows it by its process. */
  async function copierOf(syncId: string): Promise<'worker' | 'second worker'> {
    const engine = createWorkflowEngine({
      address: platform.env.TEMPORAL_ADDRESS as string,
      namespace: platform.env.TEMPORAL_NAMESPACE as string,
    });
    try {
      const [row] = await platform.query<{ tenant_id: string }>(
        'select tenant_id from dataset_sync where id = $1',
        [syncId],
      );
      const handle = engine.client.workflow.getHandle(
        syncWorkflowId({ tenantId: row?.tenant_id as string, syncId }),
      );
      for (let left = 200; left > 0; left -= 1, await sleep(100)) {
        const { raw } = await handle.describe();
        const pid = Number.parseInt(
          raw.pendingActivities?.find((each) => each.activityType?.name === 'copySyncFiles')
            ?.lastWorkerIdentity ?? '',
          10,
        );
        for (const name of ['worker', 'second worker'] as const)
          if (platform.pidOf(name) === pid) return name;
      }
      throw new Error('no worker copies');
    } finally {
      await engine.close();
    }
  }

  /** A kill strikes work: the next one waits until what the last one stopped goes on, or for 40 s. */
  async function somethingMoved(): Promise<void> {
    const pulse = async () =>
      JSON.stringify(
        await platform.query(
          "select id, status, files_done, bytes_done from dataset_sync where status in ('queued', 'running') order by id",
        ),
      );
    const before = await pulse();
    for (let left = 200; left > 0 && (await pulse()) === before; left -= 1) await sleep(200);
  }

  /** Changes the remote dataset and syncs, over and over; some syncs are cancelled. @returns how they ended */
  async function syncAgainAndAgain(remote: GeneratedDataset, isOver: () => boolean): Promise<string[]> {
    const { id } = remote.plan;
    await platform.ask('POST', '/datasets', { id, name: id });
    expect(
      (await platform.ask('PUT', `/datasets/${id}/source`, { source_id: 'source', remote_dataset_id: id }))
        .status,
    ).toBe(200);
    const ends: string[] = [];
    for (let round = 0; round === 0 || !isOver(); round += 1) {
      const before = await filesOf(id);
      const syncId = await start(id);
      if (round % 4 === 3) {
        await sleep(Math.random() * 4000);
        await platform.ask('POST', `/datasets/${id}/syncs/${syncId}:cancel`);
      }
      const sync = await platform.until(
        `/datasets/${id}/syncs/${syncId}`,
        ({ status }) => status !== 'queued' && status !== 'running',
        240_000,
      );
      ends.push(sync.status);
      if (sync.status === 'canceled') expect(await filesOf(id)).toEqual(before);
      else {
        expect(sync).toMatchObject({ status: 'done', error_count: 0, warning_count: 0 });
        expect(sync.progress).toMatchObject({
          files_done: sync.progress.files_total,
          bytes_done: sync.progress.bytes_total,
        });
        expect(await filesOf(id)).toEqual(wanted(remote));
      }
      for (let n = 0; n < 40; n += 1) remote.change((round * 40 + n) % FILES);
      remote.remove(LARGE + round);
      remote.add(30);
    }
    return ends;
  }

  /** An answer that was lost may have started it. */
  async function start(dataset: string): Promise<string> {
    const { status, body } = await platform.ask('POST', `/datasets/${dataset}/syncs`);
    if (status === 409) return body.detail.sync_id as string;
    expect(status).toBe(202);
    return body.id as string;
  }

  const wanted = (remote: GeneratedDataset) =>
    Object.fromEntries([...remote.all()].map(({ path, sha256 }) => [path, sha256]));
  const filesOf = async (dataset: string) =>
    Object.fromEntries(
      (
        await platform.query<{ path: string; sha256: string }>(
          'select f.path, f.sha256 from dataset_file f join dataset d on d.id = f.dataset_id where d.key = $1',
          [dataset],
        )
      ).map(({ path, sha256 }) => [path, sha256]),
    );
});
