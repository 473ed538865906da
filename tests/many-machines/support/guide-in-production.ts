import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { onlyWhere } from '../../setup/only-where.js';
import type { Fleet } from './fleet.js';

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
const whereSystemd = onlyWhere(hasSystemd ? null : 'this machine has no systemd-analyze');

/** Tests of what docs/guide/production.md says beyond what a fleet is set up by. */
export function guideInProduction(fleet: () => Fleet): void {
  it('have the program, as the guide says', async () => {
    const scripts = fleet().guideOf('b').shell(2);
    expect(scripts).toHaveLength(1);
    for (const script of scripts) {
      const { code, output } = await fleet().shell('b', script);
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('has what is needed') });
    }
    const { scripts: known } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
    const called = [...scripts.join('').matchAll(/npm (?:run )?([a-z:-]+)/g)].map(([, name]) => name);
    expect(Object.keys(known)).toEqual(expect.arrayContaining(called));
  });

  it('run as in production, each process with what the guide gives it', async () => {
    expect(fleet().environmentOf('worker b')).toMatchObject({
      NODE_ENV: 'production',
      DATABASE_URL_FILE: expect.any(String),
    });
    // Secrets come by files alone.
    const shown = JSON.stringify(fleet().environmentOf('worker b'));
    expect(
      fleet()
        .hidden()
        .secrets.filter((secret) => shown.includes(secret)),
    ).toEqual([]);
  });

  it('are looked at, as the guide says', async () => {
    const [script = ''] = fleet().guideOf('a').shell(6);
    const { code, output } = await fleet().shell('a', script);
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
    for (const host of ['b', 'c']) expect(output).toMatch(new RegExp(`\\b${host}\\b.*alive`));
  });

  whereSystemd('have a unit that systemd takes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'visionops-unit-'));
    try {
      const file = join(folder, 'visionops-worker.service');
      writeFileSync(file, fleet().guideOf('b').unitFile());
      const said = (path: string) => {
        try {
          return execFileSync('systemd-analyze', ['verify', path], { encoding: 'utf8', stdio: 'pipe' });
        } catch (error) {
          return (error as { stderr: string }).stderr;
        }
      };
      expect(said(file)).toBe('');
      writeFileSync(file, fleet().guideOf('b').unitFile().replace('Restart=always', 'Restart=at-times'));
      expect(spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' }).stderr).toContain(
        'at-times',
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
