import { spawnSync } from 'node:child_process';
import type { WorkloadRunner } from '../../core/ports/workload-runner.js';
import { isRoot, othersCanPass } from './workload-dirs.js';
import { uidBase } from './tenant-uids.js';

export type Isolation = WorkloadRunner['isolation'];

/** From these versions on Landlock holds files and other processes, and connections. */
const RULES = { files: 1, connections: 4 } as const;

const none = (why: string, rules: number): Isolation => {
  const open =
    rules >= RULES.files
      ? 'the kernel closes its files and processes to them (Landlock), but no user of their own does'
      : 'they could read its files';
  return {
    kind: 'none',
    explanation: `One trust domain: ${why}, so workloads run as the platform's own user: ${open}. ${network(rules)} Programs and images that tenants bring are refused here. Use it for one team only.`,
  };
};

/** What no boundary of this machine closes. */
const network = (rules: number): string =>
  rules >= RULES.connections
    ? 'Trainings reach the ports of this machine and the metadata address of a cloud (169.254.169.254); served models connect to nobody.'
    : 'Workloads reach the ports of this machine and the metadata address of a cloud (169.254.169.254).';

/**
 * Whether each tenant's workloads can have a user of their own here.
 * @param rules see fileRulesVersion; only the explanation depends on it
 */
export function detectIsolation(workloadsDir: string, cacheDir: string, rules = 0): Isolation {
  const no = (why: string) => none(why, rules);
  if (process.platform !== 'linux') return no('users of their own for tenants are supported on Linux only');
  if (!isRoot()) return no('the platform does not run as root');
  for (const place of [workloadsDir, cacheDir])
    if (!othersCanPass(place)) return no(`other users cannot pass ${place}`);
  const uid = uidBase(workloadsDir);
  const probe = spawnSync('/bin/sh', ['-c', 'exit 0'], { uid, gid: uid, stdio: 'ignore', cwd: '/', env: {} });
  if (probe.status !== 0) return no(`this system does not let it run programs as user ${uid}`);
  const twice = rules >= RULES.files ? ' The kernel closes them a second time (Landlock).' : '';
  return {
    kind: 'uid',
    explanation: `Each tenant has a user of its own: its workloads can read neither files nor processes of the platform or of other tenants.${twice} ${network(rules)}`,
  };
}
