import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { RealImages } from '../../builders/real-images.js';
import { EPOCHS } from '../../faults/main-jobs/main-job.js';
import { serversOf, trainersOf } from '../../faults/main-jobs/processes.js';
import type { PlatformClient } from '../../setup/platform-client.js';
import type { Fleet, Machine } from './fleet.js';
import { longTraining } from './long-training.js';

const EXPERIMENTS = '/api/v1/training/experiments';
const ENDPOINT = 'on-b';
/** A host is not chosen any more by then. */
const SILENT_MS = 16_000;
/** That of the training: it must be at work until the host is lost, and the rest is waited for. */
const TRAINING_S = 45;
/** What the catalog allows. A machine that is done with them sooner trains a larger network. */
const MOST_EPOCHS = 2000;
/** That of the trainings of a main job. */
const HIDDEN = 192;
const ENDS_WITHIN_MS = 300_000;
/** What runs on a machine that comes back, and is run elsewhere by now. */
const STOPPED_WITHIN_MS = 60_000;

interface Stage {
  readonly fleet: Fleet;
  readonly client: PlatformClient;
  readonly owner: pg.Client;
  readonly images: RealImages;
  /** One that is frozen. */
  readonly dataset: string;
}

/**
 * Tests of an installation that loses machine b while it trains and serves: it is cut off, so that nobody can tell whether it
 * is gone for good, and comes back at last. Then machine c, which did its work, burns down and is forgotten.
 * @param goneAfterS of a host
 */
export function lostHost(stage: () => Stage, goneAfterS: number): void {
  let training: string;
  let epochs: number;
  /** What is known of the first attempt once it has failed. */
  let first: unknown;

  const read = async () => (await stage().client.expect(200, 'GET', `${EXPERIMENTS}/${training}`)).body;
  const untilStatus = (status: string, timeoutMs: number) =>
    stage().client.until(`${EXPERIMENTS}/${training}`, (body) => body.status === status, timeoutMs);
  const runningOn = (machine: Machine) => {
    const folder = stage().fleet.workloadsOn(machine);
    return {
      trainings: trainersOf(folder).map(({ experimentId }) => experimentId),
      // Each runs as several processes.
      servers: new Set(serversOf(folder).map(({ shim }) => shim)).size,
    };
  };
  const invoke = () => {
    const { client, images } = stage();
    const instances = [{ b64: images.heldBack[0]?.bytes.toString('base64') }];
    return client.call('POST', `/api/v1/serving/endpoints/${ENDPOINT}/proxy/invocations`, {
      json: { instances },
    });
  };
  const askEndpoint = async () => {
    const { status, body } = await invoke();
    expect({ status, body }).toMatchObject({ status: 200, body: { predictions: [expect.anything()] } });
  };
  /** Until it answers from another machine; its row says so a moment after its host is known to be lost. */
  const untilItAnswers = async () => {
    for (const end = Date.now() + 120_000; Date.now() < end; await sleep(500)) {
      const { status } = await invoke();
      if (status === 200) return askEndpoint();
      expect([502, 503]).toContain(status);
    }
    throw new Error('the endpoint does not answer');
  };

  beforeAll(async () => {
    const { fleet, client, owner, dataset } = stage();
    const wanted = TRAINING_S / (await secondsOfAnEpoch(owner));
    epochs = Math.min(MOST_EPOCHS, Math.ceil(wanted));
    const hidden = Math.min(1024, Math.ceil(HIDDEN * Math.max(1, wanted / MOST_EPOCHS)));
    // With one host alone, both begin there.
    await fleet.kill('worker c');
    await sleep(SILENT_MS);
    const { body } = await client.expect(200, 'GET', '/api/v1/registry/images?page_size=1&status=READY');
    await client.expect(201, 'POST', '/api/v1/serving/endpoints', {
      json: { name: ENDPOINT, image_id: body.items[0].id, replicas: 1, gpu: 0 },
    });
    const isUp = (read: { status: string }) => read.status === 'RUNNING';
    await client.until(`/api/v1/serving/endpoints/${ENDPOINT}`, isUp, 90_000);
    training = await longTraining(client, dataset, { epochs, hidden });
    expect(fleet.trainers().map(({ experimentId }) => experimentId)).toEqual([training]);
    await untilStored(owner, training);
    fleet.begin('worker c');
    await untilHostsAre(owner, 2);
    expect(await read()).toMatchObject({ status: 'RUNNING' });
    fleet.network.link('b', 'down');
  }, 300_000);

  it('goes on serving people by the other API', async () => {
    // The load balancer notices within a second or two.
    await sleep(4000);
    for (let tries = 0; tries < 10; tries += 1) await stage().client.expect(200, 'GET', '/api/v1/datasets');
  });

  it('says why the training failed, and begins it again on another machine', async () => {
    const { client, owner } = stage();
    const failed = await untilStatus('FAILED', (goneAfterS + 60) * 1000);
    expect(failed.status_message).toMatch(/machine b.* is gone/);
    first = await recordOf(owner, training, 1);
    await client.expect(202, 'POST', `${EXPERIMENTS}/${training}/retry`);
    await untilStatus('RUNNING', 90_000);
    expect(runningOn('c').trainings).toEqual([training]);
  }, 300_000);

  it('starts its endpoints on another machine by itself, where they answer', async () => {
    await untilItAnswers();
    const { body } = await stage().client.expect(200, 'GET', `/api/v1/serving/endpoints/${ENDPOINT}`);
    expect(body).toMatchObject({ status: 'RUNNING', ready_replicas: 1 });
  }, 150_000);

  it('ends what still runs on the machine when it comes back, while people are served', async () => {
    const { fleet, owner } = stage();
    const [onB, onC] = [runningOn('b'), runningOn('c')];
    expect(onB.trainings).toEqual([training]);
    // Endpoints of the main jobs may run there too.
    expect(onB.servers).toBeGreaterThan(0);
    expect(onC.servers).toBeGreaterThanOrEqual(onB.servers);
    const passed = fleet.passedTo('b');
    fleet.network.link('b', 'up');
    const backAt = performance.now();
    const isIdle = () => runningOn('b').trainings.length + runningOn('b').servers === 0;
    while (!isIdle() && performance.now() - backAt < STOPPED_WITHIN_MS) {
      await askEndpoint();
      await sleep(250);
    }
    process.stderr.write(`  stopped ${Math.round(performance.now() - backAt)} ms after it came back\n`);
    expect(runningOn('b')).toEqual({ trainings: [], servers: 0 });
    await untilHostsAre(owner, 2);
    for (let left = 100; left > 0 && fleet.passedTo('b') === passed; left -= 1) await askEndpoint();
    expect(fleet.passedTo('b')).toBeGreaterThan(passed);
    expect(runningOn('c').servers).toBe(onC.servers);
  }, 120_000);

  it('goes on without a machine that burns down while it trains and serves, once it is forgotten', async () => {
    const { fleet, client, owner } = stage();
    expect(runningOn('c').trainings).toEqual([training]);
    expect(runningOn('c').servers).toBeGreaterThan(0);
    const known = () => owner.query<{ id: string }>("select id from host where name = 'c'");
    const [{ id } = { id: '' }] = (await known()).rows;
    expect(await fleet.run('forget-host', id)).toBe(2);
    await fleet.lose('c');
    await sleep(SILENT_MS);
    expect(await fleet.run('forget-host', id)).toBe(0);
    expect((await known()).rows).toEqual([]);
    const failed = await untilStatus('FAILED', 30_000);
    expect(failed.status_message).toMatch(/machine c.* is gone/);
    await client.expect(202, 'POST', `${EXPERIMENTS}/${training}/retry`);
    await untilStatus('RUNNING', 90_000);
    expect(runningOn('b').trainings).toEqual([training]);
    await untilItAnswers();
  }, 300_000);

  it('brings the training to its end from its checkpoint, and counts nothing of its other copy', async () => {
    const { client, owner } = stage();
    await untilStatus('SUCCEEDED', ENDS_WITHIN_MS);
    const { bytes } = await client.expect(200, 'GET', `${EXPERIMENTS}/${training}/log`);
    const [, from] = /Going on from the checkpoint after round (\d+) of/.exec(bytes.toString()) ?? [];
    expect(Number(from)).toBeGreaterThan(0);
    // What the checkpoint holds was trained by the first attempt, and is not trained again.
    const trained = [...bytes.toString().matchAll(/Epoch (\d+)\//g)].map(([, epoch]) => Number(epoch));
    expect([trained[0], trained.at(-1)]).toEqual([Number(from) + 1, epochs]);
    expect(await epochsMeasured(owner, training, 3)).toBe(epochs);
    expect(await recordOf(owner, training, 1)).toEqual(first);
  }, 600_000);

  it('lets the training be deleted', async () => {
    // It ended twice, and has more epochs: the oracles know trainings of the main job, which end once.
    await stage().client.expect(200, 'DELETE', `${EXPERIMENTS}/${training}`);
  });
}

/** That of the fastest training of a main job, which has the same size: on a busy machine the others were slower than this one may be. */
async function secondsOfAnEpoch(owner: pg.Client): Promise<number> {
  const { rows } = await owner.query<{ seconds: number }>(
    `select ((max(p.ts) - min(p.ts)) / 1000.0 / (count(*) - 1))::float8 as seconds
     from metric_point p join metric_key k on k.id = p.key and k.name = 'train/loss'
     group by p.run having count(*) = ${EPOCHS} and max(p.ts) > min(p.ts) order by 1 limit 1`,
  );
  if (rows[0] === undefined) throw new Error('no training of a main job has come to its end');
  return rows[0].seconds;
}

async function epochsMeasured(owner: pg.Client, training: string, attempt: number): Promise<number> {
  const { rows } = await owner.query<{ most: number }>(
    `select coalesce(max(p.step), 0)::int as most from metric_point p
       join metric_key k on k.id = p.key and k.name = 'train/loss' join tracker_run r on r.id = p.run
     where r.training_id = $1 and r.training_attempt = $2`,
    [training, attempt],
  );
  return rows[0]?.most ?? 0;
}

/** What is stored of an attempt. */
async function recordOf(owner: pg.Client, training: string, attempt: number): Promise<unknown> {
  const { rows } = await owner.query(
    `select r.status, (select count(*)::int from metric_point p where p.run = r.id) as points,
       (select count(*)::int from run_artifact a where a.run = r.id) as artifacts
     from tracker_run r where r.training_id = $1 and r.training_attempt = $2`,
    [training, attempt],
  );
  return rows;
}

async function untilStored(owner: pg.Client, training: string): Promise<void> {
  for (let left = 240; left > 0; left -= 1, await sleep(250)) {
    const { rows } = await owner.query(
      `select 1 from run_artifact a join tracker_run r on r.id = a.run
       where r.training_id = $1 and a.path = 'checkpoints/latest.skops'`,
      [training],
    );
    if (rows.length > 0) return;
  }
  throw new Error('the training has stored no checkpoint');
}

async function untilHostsAre(owner: pg.Client, count: number): Promise<void> {
  for (let left = 120; left > 0; left -= 1, await sleep(250)) {
    const { rows } = await owner.query<{ n: number }>(
      "select count(*)::int as n from host where gone_at is null and seen_at > now() - interval '10 s'",
    );
    if (rows[0]?.n === count) return;
  }
  throw new Error(`there are not ${count} hosts`);
}
