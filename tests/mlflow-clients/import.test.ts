import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { projectRoot } from '../../cli/engines/engine-lock.js';
import { freePort } from '../setup/free-port.js';
import { PlatformClient } from '../setup/platform-client.js';
import { ADMIN, SupervisedPlatform } from '../setup/supervised-platform.js';
import { pythonOf, run, testedVersions } from './support/client-environment.js';

jest.setTimeout(400_000);

const SUPPORT = join(projectRoot(), 'tests/mlflow-clients/support');
const RUNS = 25;
const [VERSION = ''] = testedVersions();

describe('npm start -- import mlflow', () => {
  let platform: SupervisedPlatform;
  let folder: string;
  let token: string;
  let source: string;
  let server: ChildProcess;

  beforeAll(async () => {
    platform = await SupervisedPlatform.create();
    await platform.start();
    const person = await PlatformClient.signIn(platform.baseUrl, ADMIN.email, ADMIN.password, 'demo');
    const json = { kind: 'tracker', tenant_code: 'demo', name: 'import' };
    token = (await person.expect(201, 'POST', '/users/me/tokens', { json })).body.token as string;
    folder = mkdtempSync(join(tmpdir(), 'visionops-import-'));
    const port = await freePort();
    source = `http://127.0.0.1:${port}`;
    const store = ['--backend-store-uri', `sqlite:///${folder}/other.db`];
    server = spawn(
      pythonOf(VERSION),
      ['-m', 'mlflow', 'server', ...store, '--port', String(port), '--workers', '1'],
      {
        env: { ...python(), MLFLOW_SERVER_ENABLE_JOB_EXECUTION: 'false' },
        ...{ cwd: folder, stdio: 'ignore', detached: true },
      },
    );
    await untilAnswers(`${source}/health`);
    const { code, output } = await run(
      pythonOf(VERSION),
      [join(SUPPORT, 'fill_server.py'), String(RUNS)],
      { ...python(), MLFLOW_TRACKING_URI: source },
      folder,
    );
    expect({ code, output: code === 0 ? '' : output.slice(-3000) }).toEqual({ code: 0, output: '' });
  }, 300_000);
  afterAll(async () => {
    if (server?.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
    await platform?.destroy();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  const python = (): NodeJS.ProcessEnv => ({
    ...{ PATH: process.env.PATH, HOME: folder, MLFLOW_DISABLE_TELEMETRY: 'true', MPLBACKEND: 'agg' },
    MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR: 'false',
  });
  const order = (...more: string[]): string[] => [
    ...[join(projectRoot(), 'dist/cli/main.js'), 'import', 'mlflow', '--from', source],
    ...['--to', platform.baseUrl, ...more],
  ];
  const env = () => ({ PATH: process.env.PATH, VISIONOPS_TOKEN: token });

  it('goes on where it was killed, and what it copied is the same', async () => {
    for (let wanted = 3; wanted <= 15; wanted += 6) {
      const child = spawn(process.execPath, order(), { env: env(), stdio: 'ignore' });
      const ended = once(child, 'exit');
      while (child.exitCode === null && (await copiedRuns()) < wanted) await sleep(20);
      child.kill('SIGKILL');
      expect(await ended).toEqual([null, 'SIGKILL']);
    }
    for (const files of [/[1-9]\d* files/, /: 0 metric values, 0 files/]) {
      const { code, output } = await run(process.execPath, order(), env());
      expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(files) });
    }
    const compared = await run(
      pythonOf(VERSION),
      [join(SUPPORT, 'compare_servers.py'), source, `${platform.baseUrl}/tracker`],
      { ...python(), MLFLOW_TRACKING_TOKEN: token },
      folder,
    );
    expect({ differences: compared.output.slice(-4000) }).toEqual({
      differences: expect.stringMatching(/"compared": [4-9]\d, "differences": 0}\s*$/),
    });
  });

  it.each([
    ['an address that nobody answers', ['--from', 'http://127.0.0.1:9'], /does not answer.*see that it runs/],
    ['an address that is none', ['--from', 'somewhere'], /--from must be an address/],
    ['a server that has no tracker', ['--from', 'PLATFORM'], /404|401/],
  ])('says what to do about %s', async (_what, more, message) => {
    const given = more.map((word) => word.replace('PLATFORM', platform.baseUrl));
    const { code, output } = await run(process.execPath, order(...given), env());
    expect({ code: code === 0, output }).toEqual({ code: false, output: expect.stringMatching(message) });
    expect(output).not.toMatch(/\n +at /);
  });

  it('says which token it needs', async () => {
    const { output } = await run(process.execPath, order(), { ...env(), VISIONOPS_TOKEN: 'votr_wrong' });
    expect(output).toMatch(/This platform at .* refuses .* \(401\): VISIONOPS_TOKEN must hold/);
  });

  /** How many the copy has whole. */
  async function copiedRuns(): Promise<number> {
    const api = `${platform.baseUrl}/tracker/api/2.0/mlflow`;
    const headers = { authorization: `Bearer ${token}` };
    const ask = async (path: string, body: object) =>
      (await (
        await fetch(`${api}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      ).json()) as Record<string, Array<Record<string, string>> | undefined>;
    const { experiments = [] } = await ask('experiments/search', {});
    const filter = "tags.mlflow.import.state = 'complete'";
    const experiment_ids = experiments.map((experiment) => experiment.experiment_id);
    return (await ask('runs/search', { experiment_ids, filter })).runs?.length ?? 0;
  }
});

async function untilAnswers(url: string): Promise<void> {
  for (let left = 600; left > 0; left -= 1) {
    if (
      await fetch(url).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      return;
    await sleep(100);
  }
  throw new Error(`${url} does not answer`);
}
