import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { locatePython } from '../../adapters/process/python-locator.js';
import { cacheDir, projectRoot } from '../../cli/engines/engine-lock.js';
import { PlatformClient } from '../setup/platform-client.js';
import { ADMIN, SupervisedPlatform } from '../setup/supervised-platform.js';

/*
 * `npm run schemathesis`: a platform of its own, and Schemathesis with all its checks over every operation of
 * /openapi.json. Its seed is fixed; further arguments go to Schemathesis. Exit code 0 when nothing was found.
 */

const FOLDER = join(projectRoot(), 'tests/schemathesis');
const BUDGET_MS = 10 * 60_000;
const ADMINISTRATORS = 10;
const PASSWORD = 'correct horse 4711';

/** The pinned program, installed once into the cache. */
async function schemathesis(): Promise<string> {
  const python = await locatePython();
  if (python === null) throw new Error('Python 3.10 or newer is needed: set SERVICE_PYTHON to its path');
  const requirements = join(FOLDER, 'requirements.txt');
  const hash = createHash('sha256').update(readFileSync(requirements));
  const digest = hash.digest('hex').slice(0, 16);
  const target = join(cacheDir(), `schemathesis-${digest}`);
  mkdirSync(cacheDir(), { recursive: true });
  const builder = join(projectRoot(), 'docker/process/build_venv.py');
  const order = [builder, '--target', target, '--requirements', requirements];
  const built = spawnSync(python.executable, order, { stdio: 'inherit' });
  if (built.status !== 0) throw new Error('the environment of Schemathesis could not be made');
  return join(target, 'bin/schemathesis');
}

/** Global administrators, so that calls may spoil some of them. */
async function administrators(baseUrl: string): Promise<Array<{ username: string; password: string }>> {
  const root = await PlatformClient.signIn(baseUrl, ADMIN.email, ADMIN.password);
  const names = Array.from({ length: ADMINISTRATORS }, (_each, index) => `tester-${index}@example.com`);
  for (const email of names) {
    const json = { email, password: PASSWORD, tenant_code: 'demo', role: 'ADMIN' };
    const { body } = await root.expect(200, 'POST', '/api/v1/system/users/create', { json });
    await root.expect(200, 'POST', `/api/v1/system/users/${body.id}/global-admin`);
  }
  return names.map((username) => ({ username, password: PASSWORD }));
}

async function main(args: readonly string[]): Promise<number> {
  const program = await schemathesis();
  const platform = await SupervisedPlatform.create();
  try {
    await platform.start();
    const env = {
      ...process.env,
      PLATFORM_URL: platform.baseUrl,
      PLATFORM_HOOKS: join(FOLDER, 'sign_in.py'),
      PLATFORM_ACCOUNTS: JSON.stringify(await administrators(platform.baseUrl)),
    };
    const config = ['--config-file', join(FOLDER, 'schemathesis.toml')];
    const options = [...config, 'run', `${platform.baseUrl}/openapi.json`, '--checks', 'all', ...args];
    // It keeps what it found where it runs: that goes with the platform.
    const child = spawn(program, options, {
      cwd: platform.dataDir,
      stdio: ['ignore', 'inherit', 'inherit'],
      env,
    });
    let isLate = false;
    const clock = setTimeout(() => {
      isLate = true;
      child.kill('SIGINT');
    }, BUDGET_MS);
    const code = await new Promise<number>((resolve) => child.once('exit', (status) => resolve(status ?? 1)));
    clearTimeout(clock);
    if (!isLate) return code;
    console.error(
      `Not finished within ${BUDGET_MS / 60_000} minutes: not every operation was called as often as planned.`,
    );
    return 1;
  } finally {
    await platform.destroy();
  }
}

process.exitCode = await main(process.argv.slice(2));
