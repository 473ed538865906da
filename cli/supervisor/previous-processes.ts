import { suspendWorkloads } from '../../adapters/process/suspend-workloads.js';
import { removeStoreSockets } from '../engines/object-store.js';
import { isRunning, type ProcessRef, stopProcess } from '../engines/process-ref.js';
import { CHILD_NAMES, type ChildName, type StateFile } from './state.js';
import { findOrphans } from './orphan-processes.js';

const GRACE_MS = 15_000;
const WORKLOAD_GRACE_S = 20;

/** What an earlier supervisor left running on this data directory. */
export function findPreviousProcesses(state: StateFile): Map<ChildName, ProcessRef> {
  const found = new Map<ChildName, ProcessRef>();
  for (const name of CHILD_NAMES) {
    const child = state.current.children[name];
    if (child !== undefined && isRunning(child))
      found.set(name, { pid: child.pid, startTime: child.startTime });
  }
  return found;
}

/**
 * Engines are kept, to be adopted. API and worker are stopped, because they may run older code or other settings;
 * so is whatever was started but never written down.
 * @returns the engines that may be adopted
 */
export async function settlePreviousProcesses(
  dataDir: string,
  state: StateFile,
  wanted: readonly ChildName[],
  say: (text: string) => void,
): Promise<Map<ChildName, ProcessRef>> {
  const previous = findPreviousProcesses(state);
  const orphans = findOrphans(
    dataDir,
    [...previous.values()].map((ref) => ref.pid),
  );
  const stopped: ProcessRef[] = [...orphans];
  for (const [name, ref] of previous) {
    if (name !== 'api' && name !== 'worker' && wanted.includes(name)) continue;
    stopped.push(ref);
    previous.delete(name);
  }
  if (previous.size > 0)
    say(`found ${[...previous.keys()].join(', ')} of an earlier start running: adopting`);
  if (stopped.length > 0)
    say(
      `found ${stopped.length} other process${stopped.length === 1 ? '' : 'es'} of an earlier start running: stopping`,
    );
  await Promise.all(stopped.map((ref) => stopProcess(ref, 'SIGTERM', GRACE_MS)));
  return previous;
}

/** Stops everything that is left on a data directory without a supervisor. @returns how many there were */
export async function stopPreviousProcesses(dataDir: string, state: StateFile): Promise<number> {
  const known = [...findPreviousProcesses(state)];
  const services = known.filter(([name]) => name === 'api' || name === 'worker');
  const engines = known.filter(([name]) => name !== 'api' && name !== 'worker');
  await Promise.all(services.map(([, ref]) => stopProcess(ref, 'SIGTERM', GRACE_MS)));
  await suspendWorkloads(dataDir, WORKLOAD_GRACE_S);
  // SIGINT is PostgreSQL's fast shutdown; the other engines end by it as well.
  await Promise.all(engines.map(([, ref]) => stopProcess(ref, 'SIGINT', GRACE_MS)));
  removeStoreSockets(state.portsOf('s3'));
  const orphans = findOrphans(dataDir, []);
  await Promise.all(orphans.map((ref) => stopProcess(ref, 'SIGINT', GRACE_MS)));
  return known.length + orphans.length;
}
