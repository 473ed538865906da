import type { Database } from '../orm/in-tenant.js';
import { notifyAtCommit } from '../orm/notify.js';
import { holdTransactionLock } from '../orm/transaction-lock.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { dispatchAll } from '../outbox/dispatch.js';
import { chooseHost, type LoadedHost } from './choose-host.rules.js';
import { readHosts } from './host.platform.js';
import { WORKLOADS_CHANNEL } from './workload-channel.js';
import { assignHosts, type Assignment, loadOfHosts, listUnplaced } from './placement.sql.js';
import { wakeEntries } from './workload-wakes.js';

/**
 * Chooses a host for each workload that waits for one, the oldest first. One process at a time, so that two do not give
 * the same memory away. @returns how many were placed
 */
export const placeWaiting = (db: Database): Promise<number> =>
  db.inPlatform(async (tx) => {
    const waiting = await listUnplaced(tx);
    if (waiting.length === 0) return 0;
    await holdTransactionLock(tx, 'workload-placement');
    const hosts = await loadedHosts(tx);
    const assignments: Assignment[] = [];
    for (const need of await listUnplaced(tx)) {
      const choice = chooseHost([...hosts.values()], need);
      if ('host' in choice) take(hosts, choice.host, need);
      const [host, reason] =
        'host' in choice ? [choice.host.id, 'Starting.'] : ([null, choice.reason] as const);
      if (host !== null || reason !== need.reason) assignments.push({ id: need.id, host, reason });
    }
    await dispatchAll(tx, wakeEntries(await assignHosts(tx, assignments)));
    const placed = assignments.filter(({ host }) => host !== null).length;
    if (placed > 0) await notifyAtCommit(tx, WORKLOADS_CHANNEL);
    return placed;
  });

async function loadedHosts(tx: PlatformTransaction): Promise<Map<string, LoadedHost>> {
  const loads = new Map((await loadOfHosts(tx)).map((load) => [load.host, load]));
  const free = { reservedBytes: 0, startingBytes: 0, jobs: 0 };
  return new Map(
    (await readHosts(tx)).map((host) => [host.id, { ...host, load: loads.get(host.id) ?? free }]),
  );
}

/** What was placed in this turn counts for the next workload. */
function take(
  hosts: Map<string, LoadedHost>,
  host: LoadedHost,
  { kind, memoryBytes }: { readonly kind: string; readonly memoryBytes: number },
): void {
  const { reservedBytes, startingBytes, jobs } = host.load;
  const load = {
    reservedBytes: reservedBytes + memoryBytes,
    startingBytes: startingBytes + memoryBytes,
    jobs: jobs + (kind === 'training' ? 1 : 0),
  };
  hosts.set(host.id, { ...host, load });
}
