import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readStartTime } from '../../cli/engines/process-ref.js';
import { dataFiles } from '../../cli/supervisor/files.js';
import type { Secrets } from '../../cli/supervisor/secrets.js';
import { onlyWhere } from '../setup/only-where.js';

const MAIN = fileURLToPath(new URL('../../cli/main.js', import.meta.url));

interface Facts {
  readonly base_url: string;
  readonly ops_url: string;
  readonly pids: Readonly<Record<'supervisor' | 'api' | 'worker' | 'postgres' | 'temporal' | 's3', number>>;
}

let dataDir: string;
let output = '';

const run = (...args: string[]): ChildProcess => {
  const child = spawn(process.execPath, [MAIN, ...args, '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return child;
};

const ended = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve) => child.once('exit', (code) => resolve(code)));

const facts = (): Facts | null => {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'platform.json'), 'utf8')) as Facts;
  } catch {
    return null;
  }
};

async function until<T>(
  what: string,
  look: () => T | null | undefined | false | Promise<T | null | undefined | false>,
): Promise<T> {
  for (let tries = 0; tries < 600; tries += 1) {
    const answer = await look();
    if (answer) return answer;
    await sleep(100);
  }
  throw new Error(`${what} did not happen. Output:\n${output}`);
}

const start = async (): Promise<{ supervisor: ChildProcess; platform: Facts }> => {
  const supervisor = run('start', '--no-sample', '--port', '18473');
  const platform = await until('a start', () => {
    const found = facts();
    return found !== null && found.pids.supervisor === supervisor.pid ? found : null;
  });
  return { supervisor, platform };
};

const answers = async (url: string): Promise<boolean> => (await fetch(`${url}/openapi.json`)).ok;

/** Secrets that any program of the platform's user can read of a process that it was started with. */
function exposed(pid: number): string[] {
  const seen = ['environ', 'cmdline'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8')).join('\0');
  // Else nothing was read at all.
  expect(seen).toContain(`SERVICE_DATA_DIR=${dataDir}`);
  const secrets = JSON.parse(readFileSync(dataFiles(dataDir).secrets, 'utf8')) as Secrets;
  const values = {
    ...secrets.database,
    ...secrets.s3,
    keys: secrets.secretKeys,
    webhook: secrets.webhookToken,
  };
  expect(Object.values(values).every((value) => value.length > 10)).toBe(true);
  const ofAdministrator = /SERVICE_INIT_ADMIN_PASSWORD=/.test(seen) ? ['administrator'] : [];
  return [
    ...ofAdministrator,
    ...Object.entries(values).flatMap(([name, value]) => (seen.includes(value) ? [name] : [])),
  ];
}
const noProc = process.platform === 'linux' ? null : 'environments are read from /proc';

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'visionops-supervised-'));
  chmodSync(dataDir, 0o711);
});

afterAll(async () => {
  await ended(run('stop'));
  rmSync(dataDir, { recursive: true, force: true });
});

describe('npm start', () => {
  let supervisor: ChildProcess;
  let platform: Facts;

  it('brings everything up and writes where it is for the owner only', async () => {
    ({ supervisor, platform } = await start());
    expect(statSync(join(dataDir, 'platform.json')).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
    expect(await answers(platform.base_url)).toBe(true);
    expect(Object.values(platform.pids).filter((pid) => readStartTime(pid) === null)).toEqual([]);
  }, 90_000);

  it('refuses a second start on the same data directory and names the first', async () => {
    output = '';
    expect(await ended(run('start', '--no-sample'))).toBe(1);
    expect(output).toContain(`process ${platform.pids.supervisor}`);
    expect(await answers(platform.base_url)).toBe(true);
  });

  onlyWhere(noProc)('lets nobody read secrets of API and worker, started first or again', async () => {
    for (const name of ['api', 'worker'] as const) {
      expect({ [name]: exposed(platform.pids[name]) }).toEqual({ [name]: [] });
      expect(existsSync(dataFiles(dataDir).handover(name))).toBe(false);
      process.kill(platform.pids[name], 'SIGKILL');
      const again = await until(`a new ${name}`, () => {
        const now = facts()?.pids[name];
        return now && now !== platform.pids[name] && readStartTime(now) !== null ? now : null;
      });
      expect({ [name]: exposed(again) }).toEqual({ [name]: [] });
      expect(existsSync(dataFiles(dataDir).handover(name))).toBe(false);
    }
  });

  it.each(['api', 'worker', 'postgres', 'temporal', 's3'] as const)(
    'starts %s again after kill -9',
    async (name) => {
      const before = (facts() as Facts).pids[name];
      process.kill(before, 'SIGKILL');
      await until(`a new ${name}`, () => {
        const now = facts()?.pids[name];
        return now !== undefined && now !== null && now !== before && readStartTime(now) !== null;
      });
      await until('a ready API', () =>
        fetch(`${facts()?.ops_url}/readyz`).then(
          (response) => response.ok,
          () => false,
        ),
      );
    },
    90_000,
  );

  it('adopts the engines and replaces API and worker after kill -9 of the supervisor', async () => {
    const before = facts() as Facts;
    process.kill(before.pids.supervisor, 'SIGKILL');
    await ended(supervisor);
    expect(readStartTime(before.pids.postgres)).not.toBeNull();
    output = '';
    expect(await ended(run('status'))).toBe(0);
    expect(output).toMatch(
      /VisionOps is unsupervised\n[\s\S]*postgres +runs[\s\S]*npm start -- --data-dir \S+ takes it over, npm start -- stop --data-dir/,
    );
    ({ supervisor, platform } = await start());
    for (const engine of ['postgres', 'temporal', 's3'] as const)
      expect(platform.pids[engine]).toBe(before.pids[engine]);
    for (const service of ['api', 'worker'] as const) {
      expect(platform.pids[service]).not.toBe(before.pids[service]);
      expect(readStartTime(before.pids[service])).toBeNull();
    }
    expect(await answers(platform.base_url)).toBe(true);
  }, 90_000);

  it('stops everything in order on SIGHUP and leaves no process', async () => {
    const { pids } = facts() as Facts;
    process.kill(pids.supervisor, 'SIGHUP');
    await until('the word that it is stopping', async () => {
      output = '';
      await ended(run('status'));
      return output.includes('VisionOps is stopping');
    });
    expect(await ended(supervisor)).toBe(0);
    expect(Object.values(pids).filter((pid) => readStartTime(pid) !== null)).toEqual([]);
    expect(facts()).toBeNull();
  }, 60_000);

  it('leaves no process when it is asked to stop while it starts', async () => {
    const state = () =>
      JSON.parse(readFileSync(join(dataDir, 'supervisor.json'), 'utf8')) as {
        supervisor: { pid: number };
        children: Record<string, { pid: number; startTime: string }>;
      };
    for (const afterMs of [0, 700, 1_500]) {
      const child = run('start', '--no-sample', '--port', '18473');
      await until('a begun start', () => state().supervisor.pid === child.pid);
      await sleep(afterMs);
      child.kill('SIGINT');
      expect(await ended(child)).toBe(0);
      expect(
        Object.values(state().children).filter((ref) => readStartTime(ref.pid) === ref.startTime),
      ).toEqual([]);
    }
  }, 90_000);

  it('stops what a killed supervisor left when it is only asked to stop', async () => {
    const again = await start();
    process.kill(again.platform.pids.supervisor, 'SIGKILL');
    await ended(again.supervisor);
    expect(await ended(run('stop'))).toBe(0);
    expect(Object.values(again.platform.pids).filter((pid) => readStartTime(pid) !== null)).toEqual([]);
  }, 90_000);
});
