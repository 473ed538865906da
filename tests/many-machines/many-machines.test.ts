import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { openSse, type SseReader } from '../api/support/sse-reader.js';
import { type RealImages, realImages } from '../builders/real-images.js';
import { Ledger } from '../faults/main-jobs/ledger.js';
import { MainJob } from '../faults/main-jobs/main-job.js';
import {
  auditAgainst,
  logsAndCurves,
  objectsThatDoNotFit,
  rowsThatMustNotBe,
  untilSettled,
  uploadsAgainst,
  workflowsThatMustNotBe,
} from '../faults/main-jobs/oracles.js';
import { PatientClient } from '../faults/main-jobs/patient-client.js';
import { namesIn } from '../faults/main-jobs/processes.js';
import { Random } from '../faults/main-jobs/random.js';
import { IS_FULL_RUN } from '../faults/support/kills.js';
import { collectOrphanedObjects } from '../journeys/support/stored-objects.js';
import { PlatformClient } from '../setup/platform-client.js';
import { ADMIN } from '../setup/supervised-platform.js';
import { Fleet } from './support/fleet.js';
import { FleetKiller } from './support/fleet-killer.js';

const KILLS = Number(process.env.FAULT_KILLS ?? (IS_FULL_RUN ? 50 : 10));
/** The seed of a run that failed repeats its choices. */
const SEED = Number(process.env.FAULT_SEED ?? randomInt(1, 2 ** 31));
const SETTLED_WITHIN_MS = 75_000;
/** Longer than a worker takes to come back after a kill. */
const GONE_AFTER_S = 60;
const STREAMS = 3;
const TENANT = 'shop';
const EXPERIMENTS = '/api/v1/training/experiments';
const FLEET_OPTIONS = {
  SERVICE_HOST_GONE_S: String(GONE_AFTER_S),
  SERVICE_STREAMS_PER_USER: String(STREAMS),
};

jest.setTimeout(120_000);

describe(`two APIs, three workers and a pooler on three machines (FAULT_SEED=${SEED})`, () => {
  const ledger = new Ledger();
  const random = new Random(SEED);
  const say = (text: string) => process.stderr.write(`  ${text}\n`);
  let fleet: Fleet;
  let killer: FleetKiller;
  let images: RealImages;
  let client: PlatformClient;
  let owner: pg.Client;

  beforeAll(async () => {
    const [started, all] = await Promise.all([Fleet.start(FLEET_OPTIONS), realImages(100)]);
    fleet = started;
    images = { ...all, digits: all.digits.filter((_, index) => index % 2 === 0) };
    client = await PlatformClient.signIn(fleet.base, ADMIN.email, ADMIN.password, TENANT);
    await client.expect(201, 'POST', '/api/v1/settings/tenants', { json: { code: TENANT, name: 'Shop' } });
    killer = new FleetKiller(fleet, random, say);
    owner = new pg.Client({ connectionString: fleet.made.database.ownerUrl });
    await owner.connect();
  }, 180_000);
  afterAll(async () => {
    await owner?.end();
    await fleet?.close();
  }, 120_000);

  const temporal = () => ({
    address: fleet.made.env.TEMPORAL_ADDRESS as string,
    namespace: fleet.made.env.TEMPORAL_NAMESPACE as string,
  });

  describe('with limits and sessions that all of them share', () => {
    const at = (machine: 'a' | 'b') => new PlatformClient(fleet.apis[machine], client.token, TENANT);

    it('end a session on every API within a second', async () => {
      const { body: signedIn } = await at('a').call('POST', '/auth/jwt/login', {
        form: { username: ADMIN.email, password: ADMIN.password },
      });
      const [onA, onB] = (['a', 'b'] as const).map(
        (machine) => new PlatformClient(fleet.apis[machine], signedIn.access_token),
      ) as [PlatformClient, PlatformClient];
      // Both know it by now without asking the database.
      for (const each of [onA, onB, onA, onB]) await each.expect(200, 'GET', '/users/me');
      await onA.expect(200, 'POST', '/auth/jwt/logout');
      const endedAt = Date.now();
      let status = 200;
      while (status === 200 && Date.now() - endedAt < 5000) ({ status } = await onB.call('GET', '/users/me'));
      expect([status, Date.now() - endedAt < 1000]).toEqual([401, true]);
    });

    it('count the event streams of a person over both', async () => {
      const readers: SseReader[] = [];
      const open = async (machine: 'a' | 'b') => {
        const reader = await openSse(`${fleet.apis[machine]}/api/v1/stream/notifications`, {
          authorization: `Bearer ${client.token}`,
          'x-tenant': TENANT,
        });
        readers.push(reader);
        return reader.status;
      };
      try {
        expect([await open('a'), await open('b'), await open('a')]).toEqual([200, 200, 200]);
        expect([await open('b'), await open('a')]).toEqual([429, 429]);
      } finally {
        for (const reader of readers) reader.close();
      }
    });

    it('count wrong passwords over both', async () => {
      const username = 'nobody@example.com';
      const statuses: number[] = [];
      for (let tries = 0; tries < 60 && statuses.at(-1) !== 429; tries += 1) {
        const { status } = await at(tries % 2 === 0 ? 'a' : 'b').call('POST', '/auth/jwt/login', {
          form: { username, password: 'wrong' },
        });
        statuses.push(status);
      }
      expect(statuses.at(-1)).toBe(429);
      const { status } = await at(statuses.length % 2 === 0 ? 'a' : 'b').call('POST', '/auth/jwt/login', {
        form: { username, password: 'wrong' },
      });
      expect(status).toBe(429);
    });
  });

  it(
    `goes on while ${KILLS} of its processes are killed`,
    async () => {
      let isOver = false;
      const killing = killer.run(KILLS).finally(() => {
        isOver = true;
      });
      const patient = new PatientClient(client, ledger, killer);
      const line = async (name: string, isTidyFirst: boolean) => {
        for (let number = 1; number === 1 || !isOver; number += 1)
          await new MainJob(patient, killer, images, `${name}-${number}`)
            .run((number % 2 === 1) === isTidyFirst)
            .catch((error: Error) => ledger.violate(`the job ${name}-${number} stopped: ${error.message}`));
      };
      await Promise.all([killing, line('red', true), line('blue', false)]);
      say(`${ledger.jobs} jobs, ${ledger.experiments.length} trainings`);
      expect(ledger.violations).toEqual([]);
      expect(killer.kills).toHaveLength(KILLS);
    },
    180_000 + KILLS * 30_000,
  );

  /** A row tells of its end a moment before its workflow has ended. */
  const workflowsLeft = async () => {
    for (let left = 60; ; left -= 1, await sleep(500)) {
      const found = await workflowsThatMustNotBe(temporal());
      if (left === 0 || !found.some((text) => text.endsWith('still runs'))) return found;
    }
  };

  const expectNothingLostOrTwice = async () => {
    expect(await untilSettled(owner, SETTLED_WITHIN_MS)).toEqual([]);
    expect([
      ...(await rowsThatMustNotBe(owner)),
      ...(await logsAndCurves(owner)),
      ...(await uploadsAgainst(owner, ledger)),
      ...(await auditAgainst(owner, ledger)),
      ...(await workflowsLeft()),
    ]).toEqual([]);
    await collectOrphanedObjects(owner);
    expect(await objectsThatDoNotFit(fleet.store(), owner)).toEqual([]);
  };

  const expectNoStrays = async () => {
    const { rows } = await owner.query<{ name: string }>('select name from workload');
    const wanted = new Set(rows.map(({ name }) => name));
    const strays = () =>
      fleet
        .workloads()
        .flatMap((folder) => namesIn(folder).filter((name) => /^(tr|ep)-/.test(name) && !wanted.has(name)));
    for (let left = 60; left > 0 && strays().length > 0; left -= 1) await sleep(500);
    expect(strays()).toEqual([]);
  };

  it('loses nothing, does nothing twice and leaves nothing under way', expectNothingLostOrTwice);

  it('keeps no workload that nobody wants', expectNoStrays);

  describe('of which one is lost for good', () => {
    let endpoint: string;
    let training: string;

    beforeAll(async () => {
      // With one host alone, both begin there.
      await fleet.kill('worker c');
      await sleep(16_000);
      const { body } = await client.expect(200, 'GET', '/api/v1/registry/images?page_size=1&status=READY');
      endpoint = 'on-b';
      await client.expect(201, 'POST', '/api/v1/serving/endpoints', {
        json: { name: endpoint, image_id: body.items[0].id, replicas: 1, gpu: 0 },
      });
      const { rows } = await owner.query<{ key: string }>(
        "select key from dataset where status = 'FROZEN' order by created_at desc limit 1",
      );
      const made = await client.expect(202, 'POST', EXPERIMENTS, {
        json: {
          ...{ task: 'classification', framework: 'sklearn', model: 'mlp', dataset_id: rows[0]?.key, gpu: 0 },
          split: { mode: 'ratio', train: 0.8, val: 0.1, test: 0.1, seed: 3, stratify: true },
          hyperparameters: 'epochs: 2000\nhidden: 1024\nlayers: 2\n',
          experiment_name: 'on-b',
        },
      });
      training = made.body.id as string;
      await client.until(`${EXPERIMENTS}/${training}`, (read) => read.status === 'RUNNING', 90_000);
      await client.until(
        `/api/v1/serving/endpoints/${endpoint}`,
        (read) => read.status === 'RUNNING',
        90_000,
      );
      const trained = fleet.trainers().map(({ experimentId }) => experimentId);
      const { body: now } = await client.expect(200, 'GET', `${EXPERIMENTS}/${training}`);
      expect({ ...now, trained }).toMatchObject({
        status: 'RUNNING',
        status_message: now.status_message,
        trained: [training],
      });
      fleet.begin('worker c');
      await untilHostsAre(2);
      await fleet.lose('b');
    }, 240_000);

    const untilHostsAre = async (count: number) => {
      for (let left = 120; left > 0; left -= 1, await sleep(250)) {
        const { rows } = await owner.query<{ n: number }>(
          "select count(*)::int as n from host where gone_at is null and seen_at > now() - interval '10 s'",
        );
        if (rows[0]?.n === count) return;
      }
      throw new Error(`there are not ${count} hosts`);
    };

    it('goes on serving people by the other API', async () => {
      // The load balancer notices within a second or two.
      await sleep(4000);
      for (let tries = 0; tries < 10; tries += 1) await client.expect(200, 'GET', '/api/v1/datasets');
    });

    it('says why the training failed, and trains again on another machine', async () => {
      const ended = await client.until(
        `${EXPERIMENTS}/${training}`,
        (read) => read.status === 'FAILED',
        (GONE_AFTER_S + 60) * 1000,
      );
      expect(ended.status_message).toMatch(/machine b.* is gone/);
      await client.expect(202, 'POST', `${EXPERIMENTS}/${training}/retry`);
      await client.until(`${EXPERIMENTS}/${training}`, (read) => read.status === 'RUNNING', 90_000);
      await client.expect(202, 'POST', `${EXPERIMENTS}/${training}/cancel`);
      await client.until(`${EXPERIMENTS}/${training}`, (read) => read.status === 'CANCELED', 90_000);
    });

    it('starts its endpoints on another machine by itself, where they answer', async () => {
      const path = `/api/v1/serving/endpoints/${endpoint}`;
      await client.until(path, (read) => read.status === 'RUNNING' && read.ready_replicas === 1, 120_000);
      const [image] = images.heldBack;
      const answer = await client.expect(200, 'POST', `${path}/proxy/invocations`, {
        json: { instances: [{ b64: image?.bytes.toString('base64') }] },
      });
      expect(answer.body.predictions).toHaveLength(1);
    });

    it('has lost nothing with it, done nothing twice and left nothing under way', async () => {
      // It ended twice, by the loss and by its cancel: the oracles know trainings that end once.
      await client.expect(200, 'DELETE', `${EXPERIMENTS}/${training}`);
      await expectNothingLostOrTwice();
      await expectNoStrays();
    });
  });
});
