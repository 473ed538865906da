import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { testDatabase } from '../setup/engines.js';
import { freePort } from '../setup/free-port.js';
import { processesOf } from './main-jobs/processes.js';

const MAIN = fileURLToPath(new URL('../../cli/main.js', import.meta.url));

jest.setTimeout(150_000);

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  output(): string;
}

describe('npm start where something is in the way', () => {
  const runs: Run[] = [];
  const folders: string[] = [];
  const servers: Server[] = [];

  afterEach(async () => {
    for (const { child, ended } of runs.splice(0)) {
      if (child.exitCode === null) child.kill('SIGTERM');
      await ended;
    }
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  const run = (args: readonly string[], env: Record<string, string> = {}): Run => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_ENV: 'development', ...env },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const started = {
      child,
      ended: new Promise<number | null>((resolve) => child.once('close', resolve)),
      output: () => output,
    };
    runs.push(started);
    return started;
  };
  const folder = (): string => {
    const made = mkdtempSync(join(tmpdir(), 'visionops-way-'));
    chmodSync(made, 0o711);
    folders.push(made);
    return made;
  };
  const says = async (started: Run, what: RegExp): Promise<RegExpExecArray> => {
    for (let left = 900; left > 0; left -= 1) {
      const found = what.exec(started.output());
      if (found !== null) return found;
      if (started.child.exitCode !== null) break;
      await sleep(100);
    }
    throw new Error(`${what} was not said:\n${started.output()}`);
  };
  const occupied = async (): Promise<number> => {
    const port = await freePort();
    const server = createServer().listen(port, '127.0.0.1');
    servers.push(server);
    await new Promise((resolve) => server.once('listening', resolve));
    return port;
  };

  it('takes another port than a busy one and says so; reset then removes what is its own, and only that', async () => {
    const [dataDir, port] = [folder(), await occupied()];
    writeFileSync(join(dataDir, 'notes.txt'), 'not of the platform');
    const platform = run(['start', '--no-sample', '--port', String(port), '--data-dir', dataDir]);
    const [, chosen] = await says(platform, new RegExp(`port ${port} is busy: using (\\d+)`));
    await says(platform, /ready after/);
    expect((await fetch(`http://127.0.0.1:${chosen}/openapi.json`)).status).toBe(200);

    const unsure = run(['reset', '--data-dir', dataDir]);
    expect([await unsure.ended, unsure.output()]).toEqual([2, expect.stringContaining('--yes')]);
    expect((await fetch(`http://127.0.0.1:${chosen}/openapi.json`)).status).toBe(200);
    expect(await run(['reset', '--yes', '--data-dir', dataDir]).ended).toBe(0);
    expect(await platform.ended).toBe(0);
    expect(readdirSync(dataDir)).toEqual(['notes.txt']);
    expect(processesOf(dataDir, join(dataDir, 'workloads'))).toEqual([]);
  });

  it('keeps nothing of an ephemeral start', async () => {
    const platform = run(['start', '--no-sample', '--ephemeral', '--port', String(await freePort())]);
    await says(platform, /ready after/);
    const dataDir = (await says(platform, /(\/\S*visionops-ephemeral-\w+)/))[1] as string;
    expect(existsSync(join(dataDir, 'platform.json'))).toBe(true);
    platform.child.kill('SIGINT');
    expect(await platform.ended).toBe(0);
    expect(existsSync(dataDir)).toBe(false);
    expect(processesOf(dataDir, join(dataDir, 'workloads'))).toEqual([]);
  });

  it.each([
    ['Python', { SERVICE_PYTHON: '/nowhere/python3' }, /Python 3\.\d+ to 3\.\d+ was not found: install it/],
    ['a complete set of settings in production', { NODE_ENV: 'production' }, /DATABASE_URL/],
  ])('refuses to start without %s, says why and makes nothing', async (_what, env, reason) => {
    const dataDir = join(folder(), 'data');
    const refused = run(['start', '--no-sample', '--data-dir', dataDir], env);
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toMatch(reason);
    expect(refused.output()).not.toMatch(/\n\s+at /);
    expect(existsSync(dataDir)).toBe(false);
  });

  it('reads the secrets of a command from files, and names the variable of one that is not there', async () => {
    const [place, database] = [folder(), await testDatabase()];
    const file = join(place, 'owner');
    writeFileSync(file, `${database.ownerUrl}\n`, { mode: 0o600 });
    const migrated = run(['migrate'], { DATABASE_OWNER_URL_FILE: file });
    expect([await migrated.ended, migrated.output()]).toEqual([0, 'the schema is up to date\n']);
    const refused = run(['migrate'], { DATABASE_OWNER_URL_FILE: join(place, 'absent') });
    expect([await refused.ended, refused.output()]).toEqual([
      1,
      'visionops: Settings cannot be used:\n  - DATABASE_OWNER_URL_FILE: names a file that cannot be read (ENOENT)\n',
    ]);
    await database.drop();
  });

  it('starts again in place after a stop in the middle of a start', async () => {
    const [dataDir, port] = [folder(), await freePort()];
    const first = run(['start', '--no-sample', '--port', String(port), '--data-dir', dataDir]);
    await says(first, /PostgreSQL/);
    first.child.kill('SIGTERM');
    await first.ended;
    expect(processesOf(dataDir, join(dataDir, 'workloads'))).toEqual([]);
    const second = run(['start', '--no-sample', '--port', String(port), '--data-dir', dataDir]);
    await says(second, /ready after/);
    second.child.kill('SIGHUP');
    expect(await second.ended).toBe(0);
    await run(['reset', '--yes', '--data-dir', dataDir]).ended;
  });
});
