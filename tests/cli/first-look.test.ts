import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

describe('npm start in a clone where nothing is installed', () => {
  let clone: string;
  beforeAll(() => {
    clone = mkdtempSync(join(tmpdir(), 'visionops-clone-'));
    for (const file of [
      'package.json',
      'package-lock.json',
      'cli/usage.txt',
      'scripts/bootstrap.mjs',
      'scripts/first-look.mjs',
      'scripts/source-folders.mjs',
      'scripts/turns.mjs',
    ]) {
      mkdirSync(join(clone, file, '..'), { recursive: true });
      cpSync(resolve(file), join(clone, file));
    }
  });
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  const npmStart = (args: string[], env: Record<string, string> = {}) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['scripts/bootstrap.mjs', 'start', ...args],
      { cwd: clone, encoding: 'utf8', env: { ...process.env, ...env } },
    );
    return { status, stdout, stderr };
  };
  const version = () => (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version;

  it.each([[['help']], [['--help']], [['-h']], [['status', '--help']]])(
    'answers %j with its help and installs nothing',
    (args) => {
      expect(npmStart(args)).toEqual({
        status: 0,
        stdout: readFileSync('cli/usage.txt', 'utf8'),
        stderr: '',
      });
      expect(existsSync(join(clone, 'node_modules'))).toBe(false);
    },
  );

  it('says its version', () => {
    expect(npmStart(['--version'])).toEqual({ status: 0, stdout: `${version()}\n`, stderr: '' });
  });

  it('checks the machine, names what is missing, and installs nothing', () => {
    const { stdout, status } = npmStart(['doctor'], { SERVICE_PYTHON: '/nowhere/python3' });
    expect([status, stdout]).toEqual([
      1,
      expect.stringMatching(
        /ok {2}Node 20 or newer[\s\S]*!! {2}Python with venv[\s\S]*not installed yet[\s\S]*1 problem to solve first/,
      ),
    ]);
    expect(existsSync(join(clone, 'node_modules'))).toBe(false);
  });
});
