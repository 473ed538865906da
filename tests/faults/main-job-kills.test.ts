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
import { MainJob } from './main-jobs/main-job.js';
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
import { Random } from '../../cli/simulate/random.js';
import { killsOf, reportFile } from './support/kills.js';

const KILLS = killsOf(50);
/** The seed of a run that failed repeats its choices. */
const SEED = Number(process.env.FAULT_SEED ?? randomInt(1, 2 ** 31));
const REPORT = reportFile('faults');
const SETTLED_WITHIN_MS = 75_000;
const TENANT = 'shop';

/** Faults that each oracle must report, or its silence means nothing. Rolled back. */
const PLANTED = [
  "insert into audit_entry (tenant_id, action, target_kind, target_id, target_label, detail) select tenant_id, action, target_kind, target_id, target_label, detail from audit_entry where action = 'dataset.create'",
  // A log of few lines is one row.
  "update log_chunk set from_byte = from_byte + 1, to_byte = to_byte + 1, text = replace(text, 'Epoch 3/', 'epoch 3/')",
  "update training_step set status = 'pending' where key = 'finalize'",
  "insert into dispatch (kind, payload, next_attempt_at) values ('mail', '{}', now() + interval '1 hour')",
  "update run_artifact set object_key = object_key || '-gone' where path = 'metrics.json'",
];

jest.setTimeout(120_000);

describe(`${KILLS} kills of API, worker, trainer and supervisor during main jobs (FAULT_SEED=${SEED})`, () => {
  const ledger = new Ledger();
  const random = new Random(SEED);
  const say = (text: string) => process.stderr.write(`  ${text}\n`);
  let platform: SupervisedPlatform;
  let killer: Killer;
  let images: RealImages;
  let client: PlatformClient;
  let facts: PlatformFacts;
  let owner: pg.Client;
  const startedAt = Date.now();

  beforeAll(async () => {
    platform = await SupervisedPlatform.create();
    [facts, images] = await Promise.all([platform.start(), realImages(100)]);
    client = await PlatformClient.signIn(platform.baseUrl, ADMIN.email, ADMIN.password, TENANT);
    await client.expect(201, 'POST', '/api/v1/settings/tenants', { json: { code: TENANT, name: 'Shop' } });
    killer = new Killer(platform, random, say);
  }, 180_000);
  afterAll(async () => {
    await owner?.end();
    if (REPORT !== null) report(REPORT);
    await platform?.destroy();
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
      const patient = new PatientClient(client, ledger, killer);
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

  it('leave nothing under way', async () => {
    facts = platform.facts() as PlatformFacts;
    owner = new pg.Client({ connectionString: platform.ownerUrl() });
    await owner.connect();
    expect(checked(await untilSettled(owner, SETTLED_WITHIN_MS))).toEqual([]);
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
