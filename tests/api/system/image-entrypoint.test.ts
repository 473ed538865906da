import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { COMMANDS } from '../../../cli/arguments.js';
import { type TestDatabase, testDatabase } from '../../setup/engines.js';

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** The script of the image, in a place that stands for it. */
describe('the entry point of the image', () => {
  let [home, script] = ['', ''];
  let database: TestDatabase;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'visionops-entrypoint-'));
    script = join(home, 'visionops');
    const text = readFileSync('docker/entrypoint.sh', 'utf8');
    expect(text).toContain('/app/dist/');
    writeFileSync(script, text.replaceAll('/app/', `${resolve('.')}/`));
    database = await testDatabase();
  });
  afterAll(async () => {
    await database.drop();
    rmSync(home, { recursive: true, force: true });
  });

  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
    new Promise((done) => {
      const whole = {
        PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
        NODE_ENV: 'production',
        SERVICE_DATA_DIR: join(home, 'data'),
        ...env,
      };
      const child = execFile('/bin/sh', [script, ...args], { env: whole }, (_error, stdout, stderr) =>
        done({ code: child.exitCode, output: stdout + stderr }),
      );
    });

  it.each([[[]], [['api']], [['worker']]])(
    'starts the role of %j, which names what it lacks',
    async (args) => {
      expect(await run(args)).toEqual({
        code: 1,
        output: expect.stringMatching(/^Settings cannot be used:/),
      });
    },
  );

  it('hands every command to the command line', async () => {
    for (const command of COMMANDS)
      expect({ command, ...(await run([command, '--help'])) }).toEqual({
        command,
        code: 0,
        output: expect.stringMatching(/^Usage:/),
      });
  });

  it('runs commands of operators on the database that the settings name', async () => {
    const file = (name: string, text: string) => {
      writeFileSync(join(home, name), `${text}\n`, { mode: 0o600 });
      return join(home, name);
    };
    const env = {
      DATABASE_OWNER_URL_FILE: file('owner', database.ownerUrl),
      DATABASE_URL_FILE: file('app', database.appUrl),
      DATABASE_PLATFORM_URL_FILE: file('platform', database.platformUrl),
    };
    expect(await run(['migrate'], env)).toEqual({ code: 0, output: 'the schema is up to date\n' });
    expect(await run(['verify-audit'], env)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/entries are not sealed yet\n$/),
    });
    expect(await run(['hosts'], env)).toEqual({ code: 0, output: 'No host was ever seen.\n' });
    expect(await run(['retry-dispatch'], env)).toEqual({ code: 0, output: 'Nothing was given up.\n' });
    expect(await run(['forget-host', 'absent'], env)).toMatchObject({
      code: 2,
      output: expect.stringContaining('needs the id of a host'),
    });
  });

  it.each([
    ['hosts', 'DATABASE_URL is missing'],
    ['migrate', 'DATABASE_OWNER_URL is missing'],
    ['reseal-secrets', 'SERVICE_SECRET_KEYS is missing'],
  ])('refuses %s without its settings: %s', async (command, reason) => {
    expect(await run([command])).toEqual({
      code: 1,
      output: expect.stringContaining(`visionops: ${reason}: `),
    });
    expect(existsSync(join(home, 'data'))).toBe(false);
  });

  it('refuses what is neither, and names the commands', async () => {
    expect(await run(['pi'])).toEqual({
      code: 2,
      output: expect.stringMatching(/^visionops: "pi" is not a command\. Known commands: start, /),
    });
  });
});
