import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { onlyWhere } from '../../setup/only-where.js';
import type { Fleet } from './fleet.js';

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
const whereSystemd = onlyWhere(hasSystemd ? null : 'this machine has no systemd-analyze');
const hasFirewall = spawnSync('nft', ['list', 'tables']).status === 0;
const whereFirewall = onlyWhere(hasFirewall ? null : 'this machine has no nft, or no right to use it');

/** Tests of what docs/guide/production.md says beyond what a fleet is set up by. */
export function guideInProduction(fleet: () => Fleet): void {
  it('have the program, as the guide says', async () => {
    const scripts = fleet().guideOf('b').shell(2);
    expect(scripts).toHaveLength(1);
    for (const script of scripts) {
      const { code, output } = await fleet().shell('b', script);
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('has what is needed') });
      // Nothing was built: the clone is what is tested.
      expect(output).not.toContain('built in');
    }
    const { command, folder } = fleet().guideOf('b').unit('worker', '');
    expect(readlinkSync(folder)).toMatch(/visionops-\d/);
    for (const path of [command[0] as string, join(folder, command[1] as string)]) accessSync(path);
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

  it('serve models at the ports that the guide has an operator open', async () => {
    const { output } = await fleet().shell('b', 'cat /proc/sys/net/ipv4/ip_local_port_range');
    const [from, to] = fleet().guideOf('b').portsOfModels();
    expect(output).toMatch(new RegExp(`^${from}\\s+${to}\\s`));
  });

  whereFirewall('have rules that nftables takes', async () => {
    const check = (rules: string) =>
      spawnSync('nft', ['--check', '--file', '-'], { input: rules, encoding: 'utf8' });
    const rules = fleet().guideOf('b').firewall();
    expect(check(rules)).toMatchObject({ status: 0, stderr: '' });
    expect(check(rules.replace('meta skuid', 'meta suid'))).toMatchObject({ status: 1 });
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
