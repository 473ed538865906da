import { spawnSync } from 'node:child_process';
import { accessSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { onlyWhere } from '../../setup/only-where.js';
import type { Fleet } from './fleet.js';
import { nftables } from './nftables.js';

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
const whereSystemd = onlyWhere(hasSystemd ? null : 'this machine has no systemd-analyze');
const firewall = await nftables(mkdtempSync(join(tmpdir(), 'visionops-nftables-')));
const whereFirewall = onlyWhere(firewall.reason);
/** The first of those that tenants' programs run as. */
const TENANT_USER = 200_000;

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

  whereFirewall(
    'close a host by the rules of the guide, for all that tenants run there from here on',
    async () => {
      const nft = firewall.command?.join(' ');
      const load = (rules: string) => fleet().shell('b', `${nft} --file - <<'RULES'\n${rules}RULES`);
      const rules = fleet().guideOf('b').firewall();
      expect(await load(rules.replace('meta skuid', 'meta suid'))).toMatchObject({ code: 1 });
      const reach = async (user: number, address: string) => {
        const { hostname, port } = new URL(address);
        const open = `timeout 5 bash -c 'exec 3<>/dev/tcp/${hostname}/${port}'`;
        return (await fleet().shell('b', `setpriv --reuid=${user} --clear-groups ${open}`)).code === 0;
      };
      const { S3_ENDPOINT, DATABASE_URL } = fleet().env as Record<string, string>;
      const reached = async (user: number) => ({
        api: await reach(user, fleet().base),
        store: await reach(user, S3_ENDPOINT as string),
        database: await reach(user, DATABASE_URL as string),
      });
      expect(await reached(TENANT_USER)).toEqual({ api: true, store: true, database: true });
      expect(await load(rules)).toMatchObject({ code: 0 });
      expect(await reached(TENANT_USER)).toEqual({ api: true, store: true, database: false });
      expect(await reached(0)).toEqual({ api: true, store: true, database: true });
    },
  );

  whereSystemd('have units that systemd takes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'visionops-unit-'));
    const verify = (kind: 'api' | 'worker', unit: string) => {
      const file = join(folder, `visionops-${kind}.service`);
      writeFileSync(file, unit);
      return spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' }).stderr;
    };
    try {
      for (const kind of ['api', 'worker'] as const) {
        const unit = fleet().guideOf('b').unitFile(kind);
        expect(verify(kind, unit)).toBe('');
        expect(verify(kind, unit.replace('Restart=always', 'Restart=at-times'))).toContain('at-times');
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
