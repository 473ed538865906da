import { spawnSync } from 'node:child_process';
import type { WorkloadRunner } from '../../core/ports/workload-runner.js';
import { isRoot, othersCanPass } from './workload-dirs.js';
import { uidBase } from './tenant-uids.js';

export type Isolation = WorkloadRunner['isolation'];

const none = (why: string): Isolation => ({
  kind: 'none',
  explanation: `One trust domain: ${why}, so workloads run as the platform's own user and could read its files. Programs and images that tenants bring are refused here. Use it for one team only.`,
});

/** Whether each tenant's workloads can have a user of their own here. */
export function detectIsolation(workloadsDir: string, cacheDir: string): Isolation {
  if (process.platform !== 'linux') return none('users of their own for tenants are supported on Linux only');
  if (!isRoot()) return none('the platform does not run as root');
  for (const place of [workloadsDir, cacheDir])
    if (!othersCanPass(place)) return none(`other users cannot pass ${place}`);
  const uid = uidBase(workloadsDir);
  const probe = spawnSync('/bin/sh', ['-c', 'exit 0'], { uid, gid: uid, stdio: 'ignore', cwd: '/', env: {} });
  if (probe.status !== 0) return none(`this system does not let it run programs as user ${uid}`);
  return {
    kind: 'uid',
    explanation:
      'Each tenant has a user of its own: its workloads can read neither files nor processes of the platform or of other tenants. The network of the machine is shared.',
  };
}
