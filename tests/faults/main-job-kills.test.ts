import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { NAMESPACE } from '../../cli/engines/temporal.js';
import { type RealImages, realImages, sha256 } from '../builders/real-images.js';
import { collectOrphanedObjects } from '../journeys/support/stored-objects.js';
import { PlatformClient } from '../setup/platform-client.js';
import { ADMIN, type PlatformFacts, SupervisedPlatform } from '../setup/supervised-platform.js';
import { Killer, VICTIMS } from './main-jobs/killer.js';
import { Ledger } from './main-jobs/ledger.js';
import { JobRecorder } from './main-jobs/job-recorder.js';
import { EPOCHS, MainJob } from './main-jobs/main-job.js';
import { MetricLedger } from './main-jobs/metric-ledger.js';
import { metricsAgainst, runsAgainst } from './main-jobs/metric-oracles.js';
import { MetricWriter } from './main-jobs/metric-writer.js';
import { COURSES } from './main-jobs/moments.js';
import {
  auditAgainst,
  logsAndCurves,
  objectsThatDoNotFit,
  rowsThatMustNotBe,
  untilSettled,
  uploadsAgainst,
  workflowsThatMustNotBe,
} from './main-jobs/oracles.js';
import { PatientClient } from './main-jobs/patient-client.js';
import { namesIn, processesOf } from './main-jobs/processes.js';
import { Striker } from './main-jobs/striker.js';
import { Random } from '../../cli/simulate/random.js';
import { IS_FULL_RUN, killsOf, reportFile } from './support/kills.js';

const KILLS = killsOf(50);
/** The seed of a run that failed repeats its choices. */
const SEED = Number(process.env.FAULT_SEED ?? randomInt(1, 2 ** 31));
const REPORT = reportFile('faults');
const SETTLED_WITHIN_MS = 75_000;
const TENANT = 'shop';
/** A kill that came too late is tried again in another training. */
const ROUNDS = IS_FULL_RUN ? 3 : 1;
const WRITERS = ['left', 'right'];
const DATASET_OF_STRUCK = 'blue-1';

/** Faults that each oracle must report, or its silence means nothing. Rolled back. */
const PLANTED = [
  "insert into audit_entry (tenant_id, action, target_kind, target_id, target_label, detail) select tenant_id, action, target_kind, target_id, target_label, detail from audit_entry where action = 'dataset.create'",
  // A log of few lines is one row.
  "update log_chunk set from_byte = from_byte + 1, to_byte = to_byte + 1, text = replace(text, 'Epoch 3/', 'epoch 3/')",
  "update training_step set status = 'pending' where key = 'finalize'",
  "insert into dispatch (kind, payload, next_attempt_at) values ('mail', '{}', now() + interval '1 hour')",
  // A client's metric is lost, another one is there that nobody sent, and a job's stands at its step twice.
  "delete from metric_point where (run, key, step, ts, value) in (select p.run, p.key, p.step, p.ts, p.value from metric_point p join metric_key k on k.id = p.key where k.name = 'learning rate' limit 1)",
  "insert into metric_point (run, key, step, ts, value, tenant_id) select p.run, p.key, p.step, p.ts + 1, p.value, p.tenant_id from metric_point p join metric_key k on k.id = p.key join tracker_run r on r.id = p.run join training_experiment e on e.tracker_run_id = r.run_id where k.name = 'train/loss' limit 1",
  "update metric_latest l set step = l.step - 1 from metric_key k where k.id = l.key and k.name = 'accuracy'",
  "update run_artifact set object_key = object_key || '-gone' where path = 'metrics.json'",
];

jest.setTimeout(120_000);

describe(`${KILLS} kills of API, worker, trainer and supervisor during main jobs (FAULT_SEED=${SEED})`, () => {
  const ledger = new Ledger();
  const metrics = new MetricLedger();
  const written = new AbortController();
  const random = new Random(SEED);
  const say = (text: string) => process.stderr.write(`  ${text}\n`);
  let platform: SupervisedPlatform;
  let killer: Killer;
  let images: RealImages;
  let client: PlatformClient;
  let facts: PlatformFacts;
  let owner: pg.Client;
  let patient: PatientClient;
  let recorder: JobRecorder;
  let striker: Striker;
  let tracked: string;
  let writing: Promise<unknown>;
  const startedAt = Date.now();

  beforeAll(async () => {
    recorder = await JobRecorder.start(metrics);
    platform = await SupervisedPlatform.create(undefined, { SERVICE_INTERNAL_URL: recorder.url });
    recorder.target = platform.baseUrl;
    [facts, images] = await Promise.all([platform.start(), realImages(100)]);
    client = await PlatformClient.signIn(platform.baseUrl, ADMIN.email, ADMIN.password, TENANT);
    await client.expect(201, 'POST', '/api/v1/settings/tenants', { json: { code: TENANT, name: 'Shop' } });
    killer = new Killer(platform, random, say);
    patient = new PatientClient(client, ledger, killer);
    const issued = await client.expect(201, 'POST', '/users/me/tokens', {
      json: { kind: 'tracker', tenant_code: TENANT, name: 'clients' },
    });
    const tracker = new PlatformClient(platform.baseUrl, issued.body.token as string);
    const created = await tracker.expect(200, 'POST', '/tracker/api/2.0/mlflow/experiments/create', {
      json: { name: 'written meanwhile' },
    });
    tracked = created.body.experiment_id as string;
    const writers = WRITERS.map(
      (name, at) =>
        new MetricWriter(
          new PatientClient(tracker, ledger, killer),
          metrics,
          new Random(SEED + at + 1),
          name,
          tracked,
        ),
    );
    writing = Promise.all(writers.map((writer) => writer.run(written.signal))).catch((error: Error) =>
      ledger.violate(`a client of the tracker stopped: ${error.message}`),
    );
  }, 180_000);
  afterAll(async () => {
    written.abort();
    await writing;
    await owner?.end();
    if (REPORT !== null) report(REPORT);
    await platform?.destroy();
    recorder?.close();
  }, 120_000);

  const report = (file: string) => {
    mkdirSync(dirname(file), { recursive: true });
    const counts = Object.fromEntries(
      VICTIMS.map((victim) => [victim, killer.kills.filter((kill) => kill.victim === victim).length]),
    );
    const lost = [...ledger.changes.values()].reduce((sum, change) => sum + change.lost, 0);
    const result = {
      seed: SEED,
      kills: killer.kills.length,
      ...counts,
      jobs: ledger.jobs,
      answers: ledger.answers,
      changes_lost: lost,
      experiments: ledger.experiments.length,
      experiments_failed: ledger.failures.length,
      reasons: [...new Set(ledger.failures)],
      strikes: striker?.strikes ?? [],
      metrics_acknowledged_to_clients: metrics.count('client'),
      metrics_acknowledged_to_jobs: metrics.count('job'),
      seconds: Math.round((Date.now() - startedAt) / 1000),
      violations: ledger.violations,
    };
    writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  };

  it(
    'go on, or fail with a reason that is named',
    async () => {
      const over = new AbortController();
      const killing = killer.run(KILLS, over.signal).finally(() => over.abort());
      const line = async (name: string, isTidyFirst: boolean) => {
        for (let number = 1; number === 1 || !over.signal.aborted; number += 1) {
          const job = `${name}-${number}`;
          await new MainJob(patient, killer, images, job)
            .run((number % 2 === 1) === isTidyFirst)
            .catch((error: Error) => ledger.violate(`the job ${job} stopped: ${error.message}`));
          say(`job ${job} is over`);
        }
      };
      await Promise.all([killing, line('red', true), line('blue', false)]);
      say(
        `${ledger.jobs} jobs, ${ledger.experiments.length} trainings, failed: ${ledger.failures.join(' | ') || 'none'}`,
      );
      expect(ledger.violations).toEqual([]);
      expect(killer.kills).toHaveLength(KILLS);
    },
    180_000 + KILLS * 30_000,
  );

  it(
    'at stated steps of a training let it go on to its end',
    async () => {
      owner = new pg.Client({ connectionString: platform.ownerUrl() });
      await owner.connect();
      striker = new Striker(platform, owner, killer, say);
      const courses = IS_FULL_RUN ? COURSES : [COURSES[SEED % COURSES.length] as (typeof COURSES)[number]];
      for (let round = 1; round <= ROUNDS; round += 1)
        for (const [at, course] of courses.entries()) {
          if (course.every(([struck, moment]) => striker.hasHit(struck, moment))) continue;
          await strikeTraining(`struck-${round}-${at}`, course);
          await striker.calm();
        }
      expect(ledger.violations).toEqual([]);
      const wanted = courses.flat();
      const hit = wanted.filter(([struck, moment]) => striker.hasHit(struck, moment));
      say(`${hit.length} of ${wanted.length} stated steps were struck`);
      expect(striker.strikes.filter(({ hit }) => hit !== 'missed').length).toBeGreaterThan(0);
      // A step that takes milliseconds may be over before the process is dead.
      if (IS_FULL_RUN) expect(hit.length).toBeGreaterThanOrEqual(20);
    },
    180_000 + ROUNDS * COURSES.length * (IS_FULL_RUN ? 60_000 : 0),
  );

  async function strikeTraining(name: string, course: (typeof COURSES)[number]): Promise<void> {
    const names = course.map(([, moment]) => moment.name);
    const isServed = names.includes('creating the endpoint');
    const job = new MainJob(patient, killer, images, DATASET_OF_STRUCK);
    const training = (async () => {
      const id = await job.startTraining(name, {
        hyperparameters: `epochs: ${EPOCHS}\nhidden: 192\n`,
        ...{ register_model: true, register_model_name: name },
        serving: {
          build_image: isServed || names.includes('building the image'),
          ...(isServed ? { create_endpoint: true, endpoint_name: name } : {}),
        },
      });
      return job.untilEnded(id);
    })();
    const striking = (async () => {
      for (const [struck, moment] of course) await striker.strike(name, struck, moment);
    })();
    const [{ status, status_message: message, attempt }] = await Promise.all([training, striking]);
    if (status !== 'SUCCEEDED' || attempt !== 1)
      ledger.violate(`the training ${name}, struck at ${names.join(', ')}, is ${status}: ${message}`);
  }

  it('leave nothing under way', async () => {
    written.abort();
    await writing;
    facts = platform.facts() as PlatformFacts;
    expect(checked(await untilSettled(owner, SETTLED_WITHIN_MS))).toEqual([]);
    // A worker that died amid the last activity is waited for as long as the activity may take.
    const engine = { address: facts.temporal_address, namespace: NAMESPACE };
    for (const end = Date.now() + SETTLED_WITHIN_MS; Date.now() < end; await sleep(500))
      if ((await workflowsThatMustNotBe(engine)).length === 0) break;
  });

  it('do nothing twice and lose nothing on the way', async () => {
    expect(
      checked([
        ...(await rowsThatMustNotBe(owner)),
        ...(await logsAndCurves(owner)),
        ...(await workflowsThatMustNotBe({ address: facts.temporal_address, namespace: NAMESPACE })),
      ]),
    ).toEqual([]);
  });

  it('lose no metric that was acknowledged and double none', async () => {
    say(
      `${metrics.count('client')} metrics of clients and ${metrics.count('job')} of jobs were acknowledged`,
    );
    expect(Math.min(metrics.count('client'), metrics.count('job'))).toBeGreaterThan(0);
    expect(checked([...(await metricsAgainst(owner, metrics)), ...(await unknownRuns())])).toEqual([]);
  });

  const unknownRuns = () => {
    const lost = WRITERS.map((name) => ledger.countOf(`run.create ${name}`).lost);
    return runsAgainst(
      owner,
      metrics,
      tracked,
      lost.reduce((sum, count) => sum + count, 0),
    );
  };

  it('keep every acknowledged upload with its bytes', async () => {
    expect(checked(await uploadsAgainst(owner, ledger))).toEqual([]);
    for (const { dataset, path, sha256: wanted } of random
      .shuffled(ledger.acknowledgedUploads)
      .slice(0, 40)) {
      const { body } = await client.expect(
        200,
        'GET',
        `/api/v1/datasets/${dataset}/files?q=${encodeURIComponent(path)}`,
      );
      const { bytes } = await client.expect(
        200,
        'GET',
        `/api/v1/datasets/${dataset}/files/${body.items[0].id}/content`,
      );
      expect([path, sha256(bytes)]).toEqual([path, wanted]);
    }
  });

  it('are audited once for each change that was acknowledged', async () => {
    expect(checked(await auditAgainst(owner, ledger))).toEqual([]);
    platform.output = '';
    expect([await platform.run('verify-audit'), platform.output]).toEqual([0, expect.any(String)]);
  });

  it('leave no object that nobody owns and miss none', async () => {
    await collectOrphanedObjects(owner);
    expect(checked(await objectsThatDoNotFit(facts, owner))).toEqual([]);
  });

  it('would have been noticed, had they done any of it', async () => {
    const [upload] = ledger.acknowledgedUploads;
    await owner.query('begin');
    try {
      for (const sql of PLANTED) await owner.query(sql);
      await owner.query(
        "update dataset_file f set sha256 = repeat('0', 64) from dataset d where d.id = f.dataset_id and d.key = $1 and f.path = $2",
        [upload?.dataset, upload?.path],
      );
      const found = [
        ...(await rowsThatMustNotBe(owner)),
        ...(await logsAndCurves(owner)),
        ...(await untilSettled(owner, 0)),
        ...(await uploadsAgainst(owner, ledger)),
        ...(await auditAgainst(owner, ledger)),
        ...(await objectsThatDoNotFit(facts, owner)),
        ...(await metricsAgainst(owner, metrics)),
      ].join('\n');
      for (const words of [
        'audited twice',
        'log text missing',
        'steps that do not fit',
        'succeeded with',
        'entries to dispatch',
        'is another one',
        'has 2 audit rows',
        'objects that no row names',
        'objects that are missing',
        'acknowledged metrics are lost',
        'metrics are there that nobody sent',
        'steps have more than one point',
        'last values are others',
      ])
        expect(found).toContain(words);
    } finally {
      await owner.query('rollback');
    }
  });

  it('leave no directory and no process without an owner', async () => {
    const { rows } = await owner.query<{ workload_id: string }>('select workload_id from serving_endpoint');
    const owned = new Set(rows.map((row) => row.workload_id));
    const orphans = () =>
      namesIn(platform.workloads()).filter((name) => /^(tr|ep)-/.test(name) && !owned.has(name));
    for (let left = 60; left > 0 && orphans().length > 0; left -= 1) await sleep(500);
    expect(checked(orphans())).toEqual([]);
    await owner.end();
    expect(await platform.stop()).toBe(0);
    expect(
      checked(
        processesOf(platform.dataDir, platform.workloads()).map(({ pid, command }) => `${pid} ${command}`),
      ),
    ).toEqual([]);
  });

  /** Also for the report. */
  const checked = (found: string[]): string[] => {
    ledger.violations.push(...found);
    return found;
  };
});
