import { spawnSync } from 'node:child_process';
import type { WorkloadRunner } from '../../core/ports/workload-runner.js';
import { reachesMetadata } from '../../core/security/metadata-port.js';
import { type KernelRules, NO_RULES } from './kernel-rules.js';
import { isRoot, othersCanPass } from './workload-dirs.js';
import { uidBase } from './tenant-uids.js';

export type Isolation = WorkloadRunner['isolation'];

const none = (why: string, rules: KernelRules, ports: readonly number[]): Isolation => {
  const open =
    rules.version > 0
      ? 'the kernel closes its files and processes to them (Landlock), but no user of their own does'
      : 'they could read its files';
  return {
    kind: 'none',
    ports: rules.closesConnections ? ports : null,
    explanation: `One trust domain: ${why}, so workloads run as the platform's own user: ${open}. ${network(rules, ports)} Programs and images that tenants bring are refused here. Use it for one team only.`,
  };
};

const METADATA_ADDRESS = 'the metadata address of a cloud (169.254.169.254)';

/** What no boundary of this machine closes. */
function network({ closesConnections }: KernelRules, ports: readonly number[]): string {
  if (!closesConnections) return `Workloads reach the ports of this machine and ${METADATA_ADDRESS}.`;
  const trap = reachesMetadata(ports)
    ? ` Port 80 is also that of ${METADATA_ADDRESS}: give API and object store another one, or close the address in the firewall.`
    : '';
  return `Trainings connect by TCP to the ports ${ports.join(', ')} alone (API and object store), of whatever machine; served models connect to nobody.${trap}`;
}

/**
 * Whether each tenant's workloads can have a user of their own here.
 * @param rules only the explanation depends on them
 * @param ports that workloads may connect to, see reachablePorts
 */
export function detectIsolation(
  workloadsDir: string,
  cacheDir: string,
  rules = NO_RULES,
  ports: readonly number[] = [],
): Isolation {
  const no = (why: string) => none(why, rules, ports);
  if (process.platform !== 'linux') return no('users of their own for tenants are supported on Linux only');
  if (!isRoot()) return no('the platform does not run as root');
  for (const place of [workloadsDir, cacheDir])
    if (!othersCanPass(place)) return no(`other users cannot pass ${place}`);
  const uid = uidBase(workloadsDir);
  const probe = spawnSync('/bin/sh', ['-c', 'exit 0'], { uid, gid: uid, stdio: 'ignore', cwd: '/', env: {} });
  if (probe.status !== 0) return no(`this system does not let it run programs as user ${uid}`);
  const twice = rules.version > 0 ? ' The kernel closes them a second time (Landlock).' : '';
  return {
    kind: 'uid',
    ports: rules.closesConnections ? ports : null,
    explanation: `Each tenant has a user of its own: its workloads can read neither files nor processes of the platform or of other tenants.${twice} ${network(rules, ports)}`,
  };
}
