import type { Database } from '../orm/in-tenant.js';
import { notifyAtCommit } from '../orm/notify.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { dispatchAll } from '../outbox/dispatch.js';
import { chooseHost, type LoadedHost, type WaitCode, type WorkloadNeed } from './choose-host.rules.js';
import { readHosts } from './host.platform.js';
import { writeTrouble } from './hosted.sql.js';
import { WORKLOADS_CHANNEL } from './workload-channel.js';
import {
  assignHosts,
  type Assignment,
  findNeed,
  holdPlacement,
  listUnplaced,
  loadOfHosts,
} from './placement.sql.js';
import { wakeEntries } from '../outbox/wake-entries.js';

/**
 * Chooses a host for each workload that waits for one, the oldest first. One process at a time, so that two do not give
 * the same memory away. @returns how many were placed
 */
export const placeWaiting = (db: Database): Promise<number> =>
  db.inPlatform(async (tx) => {
    const waiting = await listUnplaced(tx);
    if (waiting.length === 0) return 0;
    await holdPlacement(tx);
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

/**
 * Where a service that runs on a host has room for more instances: there, or on another host, which is then chosen for all of
 * them. It goes on as it is while there is none. @returns `elsewhere` too when it was changed or taken away meanwhile
 */
export const findRoomToGrow = (
  db: Database,
  hostId: string,
  { id, revision }: { readonly id: string; readonly revision: number },
  more: number,
): Promise<'here' | 'elsewhere' | 'nowhere'> =>
  db.inPlatform(async (tx) => {
    await holdPlacement(tx);
    const need = await findNeed(tx, id, hostId, revision);
    const { [hostId]: here, ...others } = Object.fromEntries(await loadedHosts(tx));
    if (!need || !here) return 'elsewhere';
    const grown = need.memoryBytes * (more / need.replicas);
    // The load counts what is wanted, which holds these instances already.
    const load = { ...here.load, reservedBytes: here.load.reservedBytes - grown };
    if ('host' in chooseHost([{ ...here, load }], { ...need, memoryBytes: grown })) return 'here';
    const choice = chooseHost(Object.values(others), need);
    if (!('host' in choice)) return 'nowhere';
    const trouble = { id, revision, reason: 'Starting.', isMoved: true, endpoints: [] };
    const moved = await writeTrouble(tx, hostId, trouble);
    await assignHosts(tx, [{ id, host: choice.host.id, reason: trouble.reason }]);
    await dispatchAll(tx, wakeEntries(moved));
    await notifyAtCommit(tx, WORKLOADS_CHANNEL);
    return 'elsewhere';
  });

/** Where a workload stands among those that wait for a host. */
export interface QueuePlace {
  /** Counted from 1 among waiting workloads of its kind; null when it has a host, or there is no such workload. */
  readonly position: number | null;
  /** Why it waits; null when a host would take it at once. */
  readonly code: WaitCode | null;
  /** The same for people. */
  readonly reason: string | null;
}

/**
 * @param of a waiting workload by its name, or one that nobody has asked for yet, which would come last
 * @param more read by the same transaction
 */
export const findQueuePlace = <T>(
  db: Database,
  of: { readonly name: string } | { readonly need: WorkloadNeed },
  more: (tx: PlatformTransaction) => Promise<T>,
): Promise<QueuePlace & { readonly more: T }> =>
  db.inPlatform(async (tx) => {
    const waiting = await listUnplaced(tx);
    const at = 'name' in of ? waiting.findIndex(({ name }) => name === of.name) : waiting.length;
    const own = 'name' in of ? waiting[at] : of.need;
    if (!own) return { position: null, code: null, reason: null, more: await more(tx) };
    const hosts = await loadedHosts(tx);
    const before = waiting.slice(0, at);
    for (const need of before) {
      const choice = chooseHost([...hosts.values()], need);
      if ('host' in choice) take(hosts, choice.host, need);
    }
    const choice = chooseHost([...hosts.values()], own);
    return {
      position: before.filter(({ kind }) => kind === own.kind).length + 1,
      code: 'host' in choice ? null : choice.code,
      reason: 'host' in choice ? null : choice.reason,
      more: await more(tx),
    };
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
