import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { projectRoot } from '../../cli/engines/engine-lock.js';
import { type RealImages, realImages } from '../builders/real-images.js';
import { Ledger } from '../faults/main-jobs/ledger.js';
import { EPOCHS, MainJob } from '../faults/main-jobs/main-job.js';
import { logsAndCurves, rowsThatMustNotBe, untilSettled } from '../faults/main-jobs/oracles.js';
import { PatientClient } from '../faults/main-jobs/patient-client.js';
import { PlatformClient } from '../setup/platform-client.js';
import { ADMIN } from '../setup/supervised-platform.js';
import { USER } from './support/container.js';
import { ContainerInstallation } from './support/installation.js';

jest.setTimeout(600_000);

const BUILT_WITHIN_MS = 2_400_000;
const TENANT = 'post';
const PASSWORD = 'a long enough 1 phrase';
const NEW_PASSWORD = 'another decent one 78';
const EXPERIMENTS = '/api/v1/training/experiments';
const TERMINAL = new Set(['SUCCEEDED', 'FAILED', 'CANCELED']);

/** Each command of cli/usage.txt, called so that it does no harm, and what it answers once API and worker run. */
const COMMANDS: Readonly<
  Record<string, { args?: string[]; input?: string; code: number; says: string | RegExp }>
> = {
  help: { code: 0, says: 'verify-audit' },
  start: { args: ['--help'], code: 0, says: 'verify-audit' },
  status: { code: 3, says: 'VisionOps is stopped' },
  stop: { code: 0, says: 'nothing runs on /data' },
  reset: { code: 2, says: 'reset removes all data in /data' },
  doctor: { code: 0, says: 'This machine has what is needed.' },
  sample: { code: 1, says: 'The platform does not run on /data' },
  migrate: { code: 0, says: 'the schema is up to date' },
  backup: { args: ['/backups/today'], code: 0, says: 'The backup of' },
  restore: { args: ['/backups/today'], code: 1, says: 'The database is in use' },
  import: { code: 2, says: 'import needs what and where from' },
  'simulate-devices': { code: 1, says: 'The platform does not run on /data' },
  'verify-audit': { code: 0, says: /intact .* entries under/ },
  'verify-erasure': { args: ['/data/none.json'], code: 2, says: '/data/none.json cannot be read' },
  hosts: { code: 0, says: /worker .* alive/ },
  'forget-host': { args: ['nobody'], code: 2, says: 'forget-host needs the id of a host' },
  'retry-dispatch': { code: 0, says: 'Nothing was given up.' },
  'reseal-secrets': { code: 0, says: 'sealed anew with k1' },
  password: { input: `${NEW_PASSWORD}\n`, code: 0, says: `The password of ${ADMIN.email} is set` },
};

describe('two containers of the image on one network', () => {
  let installation: ContainerInstallation;
  let images: RealImages;
  let owner: pg.Client;
  let engineer: PlatformClient;

  beforeAll(async () => {
    const startedAt = Date.now();
    installation = await ContainerInstallation.prepare();
    const minutes = ((Date.now() - startedAt) / 60_000).toFixed(1);
    const megabytes = Math.round(installation.image.sizeBytes / 1e6);
    process.stderr.write(`  the image has ${megabytes} MB and was built in ${minutes} minutes\n`);
    const all = await realImages(100);
    images = { ...all, digits: all.digits.filter((_, index) => index % 2 === 0) };
    owner = new pg.Client({ connectionString: installation.ownerUrl });
    await owner.connect();
  }, BUILT_WITHIN_MS);
  afterAll(async () => {
    await owner?.end();
    await installation?.close();
  }, 120_000);

  it('come up on an empty database once a third has migrated it', async () => {
    const { code, output } = await installation.command(['migrate']);
    expect(output).toContain('the schema is up to date');
    expect(code).toBe(0);
    for (const role of ['api', 'worker'] as const) installation.begin(role);
    for (const role of ['api', 'worker'] as const) await installation.ready(role);
  });

  it('train a model on real images, register and serve it, and have it recognise what it never saw', async () => {
    const admin = await PlatformClient.signIn(installation.base, ADMIN.email, ADMIN.password);
    await admin.expect(201, 'POST', '/api/v1/settings/tenants', {
      json: { code: TENANT, name: 'Post office' },
    });
    const account = { email: 'engineer@example.com', password: PASSWORD };
    await admin.expect(200, 'POST', '/api/v1/system/users/create', {
      json: { ...account, tenant_code: TENANT, role: 'ML_ENGINEER' },
    });
    engineer = await PlatformClient.signIn(installation.base, account.email, PASSWORD, TENANT);
    const ledger = new Ledger();
    const patient = new PatientClient(engineer, ledger, { lastAt: Date.now() });
    await new MainJob(patient, { hasKilledTrainer: () => false }, images, 'digits').run(false);
    expect(ledger.violations).toEqual([]);
  });

  it('bring a training to its end whose container was killed in the middle', async () => {
    const { body } = await engineer.expect(202, 'POST', EXPERIMENTS, {
      json: {
        ...{ task: 'classification', framework: 'sklearn', model: 'mlp', dataset_id: 'digits', gpu: 0 },
        split: { mode: 'ratio', train: 0.8, val: 0.1, test: 0.1, seed: 3, stratify: true },
        hyperparameters: `epochs: ${EPOCHS}\nhidden: 1024\nlayers: 2\n`,
        experiment_name: 'killed',
      },
    });
    const path = `${EXPERIMENTS}/${body.id}`;
    await engineer.until(path, (read) => read.status === 'RUNNING' && read.progress > 0.1, 120_000);
    await installation.kill('worker');
    const { body: meanwhile } = await engineer.expect(200, 'GET', path);
    expect([meanwhile.status, meanwhile.progress < 1]).toEqual(['RUNNING', true]);
    installation.begin('worker');
    const ended = await engineer.until(path, (read) => TERMINAL.has(read.status), 300_000);
    expect([ended.status, ended.status_message]).toEqual(['SUCCEEDED', expect.any(String)]);
    const endpoint = '/api/v1/serving/endpoints/digits';
    await engineer.until(endpoint, (read) => read.status === 'RUNNING' && read.ready_replicas === 1, 120_000);
    expect(await untilSettled(owner, 75_000)).toEqual([]);
    expect([...(await rowsThatMustNotBe(owner)), ...(await logsAndCurves(owner))]).toEqual([]);
  });

  it('show no secret to their programs', () => {
    const shown = (['api', 'worker'] as const).flatMap((role) => installation.shown(role));
    // Otherwise nothing was looked at.
    expect(shown.some((text) => text.includes('DATABASE_URL_FILE=/run/secrets/database_url'))).toBe(true);
    expect(installation.secrets.length).toBeGreaterThan(8);
    expect(installation.secrets.filter((secret) => shown.some((text) => text.includes(secret)))).toEqual([]);
  });

  it('run without rights of root', () => {
    expect(installation.image.config).toMatchObject({ User: `${USER}:${USER}`, Volumes: { '/data': {} } });
    for (const role of ['api', 'worker'] as const) expect(installation.usersOf(role)).toEqual([String(USER)]);
  });

  describe('beside which the entrypoint', () => {
    it('knows every command that the usage lists', () => {
      const usage = readFileSync(join(projectRoot(), 'cli/usage.txt'), 'utf8');
      const listed = [...usage.matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name]) => name);
      expect(listed.sort()).toEqual(Object.keys(COMMANDS).sort());
    });

    for (const [command, { args = [], input, code, says }] of Object.entries(COMMANDS))
      it(`reaches ${command}`, async () => {
        const backups = installation.volume('backups', '/backups');
        const ended = await installation.command([command, ...args], input, [backups]);
        expect(ended.output).toEqual(
          typeof says === 'string' ? expect.stringContaining(says) : expect.stringMatching(says),
        );
        expect(ended.code).toBe(code);
      });

    it('has given the administrator the password that was typed', async () => {
      await PlatformClient.signIn(installation.base, ADMIN.email, NEW_PASSWORD);
    });
  });
});
