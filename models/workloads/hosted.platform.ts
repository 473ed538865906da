import { LockMode } from '@mikro-orm/postgresql';
import { audit } from '../audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../audit/audit.types.js';
import { anyOf } from '../orm/any-of.js';
import type { Database } from '../orm/in-tenant.js';
import { notifyAtCommit } from '../orm/notify.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { dispatchAll } from '../outbox/dispatch.js';
import { Host } from './host.entity.js';
import { deleteRemoved, settleLostHosts, writeReports, writeTrouble } from './hosted.sql.js';
import type { HostedSpec, HostedWorkload, WorkloadReport } from './hosted.types.js';
import { holdPlacement } from './placement.sql.js';
import { WORKLOADS_CHANNEL } from './workload-channel.js';
import type { StoredDownload } from './workload.types.js';
import { wakeEntries } from '../outbox/wake-entries.js';
import { removeWorkloadsOf } from './tenant-workloads.sql.js';

/** Everything that a host is to run or has run, of every tenant. */
export const listHosted = (db: Database, host: string): Promise<HostedWorkload[]> =>
  db.inPlatform(({ kysely }) =>
    kysely
      .selectFrom('workload')
      .select(['id', 'tenantId', 'name', 'kind', 'ownerId', 'attempt', 'wish', 'revision', 'appliedRevision'])
      .select(['replicas', 'graceS', 'specRevision', 'status', 'reason', 'endpoints', 'exitCode'])
      .where('host', '=', host)
      .orderBy('id')
      .execute(),
  );

export const readHostedSpec = (db: Database, id: string): Promise<HostedSpec | null> =>
  db.inPlatform(
    async ({ kysely }) =>
      (await kysely
        .selectFrom('workload')
        .select(['spec', 'sealedEnv'])
        .where('id', '=', id)
        .executeTakeFirst()) ?? null,
  );

/** What a workload of this name fetches; null when there is none. */
export const readDownloads = (db: Database, name: string): Promise<readonly StoredDownload[] | null> =>
  db.inPlatform(
    async ({ kysely }) =>
      (await kysely.selectFrom('workload').select('spec').where('name', '=', name).executeTakeFirst())?.spec
        .downloads ?? null,
  );

/** Writes what is true, and wakes those who wait for it, in one transaction. @returns ids of what was written */
export const reportWorkloads = (
  db: Database,
  host: string,
  reports: readonly WorkloadReport[],
): Promise<Set<string>> =>
  db.inPlatform(async (tx) => {
    const written = await writeReports(tx, host, reports);
    await dispatchAll(tx, wakeEntries(written));
    return new Set(written.map(({ id }) => id));
  });

/** After a workload and all that was kept of it have gone from its host. */
export const forgetWorkload = (db: Database, host: string, id: string): Promise<void> =>
  db.inPlatform(async (tx) => dispatchAll(tx, wakeEntries(await deleteRemoved(tx, host, id))));

/**
 * Takes a host for lost, unless it was seen since: its jobs fail with the reason, its services wait for another.
 * @param seenAt when it was seen last, as it was read
 * @returns whether it is taken for lost by this call
 */
export const giveUpHost = (db: Database, { id }: { readonly id: string }, seenAt: Date): Promise<boolean> =>
  db.inPlatform(async (tx) => {
    await holdPlacement(tx);
    const lost = await tx.em.findOne(
      Host,
      { id, seenAt, goneAt: null },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (!lost) return false;
    lost.goneAt = new Date();
    await tx.em.flush();
    await auditHost(tx, 'host.lost', lost);
    await settleLost(tx);
    return true;
  });

/** What is placed on lost hosts all the same: it was restored, or asked for when they were lost already. */
export const sweepLostHosts = (db: Database): Promise<void> =>
  db.inPlatform(async (tx) => {
    await holdPlacement(tx);
    await settleLost(tx);
  });

async function settleLost(tx: PlatformTransaction): Promise<void> {
  const woken = await settleLostHosts(tx);
  await dispatchAll(tx, wakeEntries(woken));
  if (woken.length > 0) await notifyAtCommit(tx, WORKLOADS_CHANNEL);
}

/** Says to those who wait for a workload why its host could not begin it yet. */
export const reportTrouble = (
  db: Database,
  host: string,
  trouble: Parameters<typeof writeTrouble>[2],
): Promise<void> =>
  db.inPlatform(async (tx) => {
    await dispatchAll(tx, wakeEntries(await writeTrouble(tx, host, trouble)));
    if (trouble.isMoved) await notifyAtCommit(tx, WORKLOADS_CHANNEL);
  });

/** One that was given up is listed no more. @returns false for one that has come back, or was never given up */
export const removeHost = (db: Database, id: string): Promise<boolean> =>
  db.inPlatform(async (tx) => {
    await holdPlacement(tx);
    // Before its name is forgotten.
    await settleLost(tx);
    const gone = await tx.em.findOne(
      Host,
      { id, goneAt: { $ne: null } },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (!gone) return false;
    tx.em.remove(gone);
    await tx.em.flush();
    await auditHost(tx, 'host.forget', gone);
    return true;
  });

/** On the platform's own chain: workloads of every tenant fail or move with it. */
const auditHost = (tx: PlatformTransaction, action: string, { id, name }: Host): Promise<void> =>
  audit(tx, null, SYSTEM_ACTOR, { action, target: { kind: 'host', id, label: name } });

/** Those of the tenants that do not exist any more, or are being erased. */
export const listGoneTenants = (db: Database, tenantIds: readonly string[]): Promise<string[]> =>
  db.inPlatform(async ({ kysely }) => {
    const there = await kysely
      .selectFrom('tenant')
      .select('id')
      .where('id', '=', anyOf(tenantIds))
      .where('id', 'not in', (eb) => eb.selectFrom('tenant_deletion').select('erasedTenant'))
      .execute();
    const known = new Set(there.map(({ id }) => id as string));
    return tenantIds.filter((id) => !known.has(id));
  });

/** Names of what a tenant has on hosts, or asked for, at most `limit`. */
export const workloadsOf = (db: Database, tenantId: string, limit = 1000): Promise<string[]> =>
  db.inPlatform(async ({ kysely }) => {
    const rows = await kysely
      .selectFrom('workload')
      .select('name')
      .where('tenantId', '=', tenantId)
      .orderBy('name')
      .limit(limit)
      .execute();
    return rows.map(({ name }) => name);
  });

/** Asks for the end of everything that a tenant has on hosts. */
export const askToRemoveWorkloads = (db: Database, tenantId: string): Promise<void> =>
  db.inPlatform(async (tx) => {
    await removeWorkloadsOf(tx, tenantId);
    await notifyAtCommit(tx, WORKLOADS_CHANNEL);
  });
