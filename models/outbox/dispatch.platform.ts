import { sql } from 'kysely';
import { audit } from '../audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../audit/audit.types.js';
import { anyOf } from '../orm/any-of.js';
import { notifyAtCommit } from '../orm/notify.js';
import type { Database } from '../orm/in-tenant.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { type DispatchEntry, toEntry } from './dispatch.js';
import {
  countRefusal,
  type DispatchLane,
  entriesDueInMs,
  leaseEntries,
  postponeEntry,
  removeEntries,
  takeUpAgain,
  writeHandOver,
} from './dispatch.sql.js';

/** Channel on which dispatchers hear of new entries; a trigger of dispatch sends on it. */
export const DISPATCH_CHANNEL = 'visionops_dispatch';

/** An entry that failed so often needs somebody to look at it. */
export const STUCK_AFTER = 20;

/**
 * An entry that was refused so often is given up. With the longest pause between tries these are some five
 * minutes.
 */
export const GIVE_UP_AFTER = 20;

const MAX_REASON = 1000;

export interface DueEntry {
  readonly id: number;
  readonly attempts: number;
  /** A mail server was about to get it, and how that ended is not known. */
  readonly isUnclear: boolean;
  readonly entry: DispatchEntry;
}

/**
 * How a delivery went. `failed` is tried again for as long as it takes: the other side is away. `refused` was
 * answered: after some tries the entry is set aside for a person. `dropped` can never succeed and ends the
 * entry.
 */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed' | 'refused' | 'dropped'; readonly reason: string };

export interface Delivery {
  readonly entry: DueEntry;
  readonly outcome: Outcome;
  /** Seconds until the next try, if there is to be one. */
  readonly delayS: number;
}

export const isToBeTriedAgain = ({ kind }: Outcome): boolean => kind === 'failed' || kind === 'refused';

/**
 * Takes up to `limit` due entries of the lane and hides them from other dispatchers for `leaseS`; a
 * dispatcher that dies leaves them to the next once the lease is over. Only the oldest entry of a workflow
 * is ever handed out, so that a signal never overtakes its start. Entries of a tenant that is being erased
 * are handed out no more.
 */
export async function leaseDueEntries(
  db: Database,
  lane: DispatchLane,
  limit: number,
  leaseS: number,
): Promise<DueEntry[]> {
  const rows = await db.inPlatform((tx) => leaseEntries(tx, lane, limit, leaseS));
  const due = rows.map((row) => ({
    id: row.id,
    attempts: row.attempts,
    isUnclear: row.isUnclear,
    entry: toEntry(row),
  }));
  return due.sort((a, b) => a.id - b.id);
}

/** In how many milliseconds the next entry of the lane falls due: less than 0 when one is, null when none waits. */
export const nextEntryDueMs = (db: Database, lane: DispatchLane): Promise<number | null> =>
  db.inPlatform((tx) => entriesDueInMs(tx, lane));

/** Before a mail server gets the mail: when the process dies now, nobody knows whether it went. */
export async function recordHandOver(db: Database, id: number): Promise<void> {
  await db.inPlatform((tx) => writeHandOver(tx, id));
}

/**
 * Ends what was delivered or can never be, and puts the rest off. @returns the entries that were given up now
 */
export const settleDeliveries = (db: Database, deliveries: readonly Delivery[]): Promise<DueEntry[]> =>
  db.inPlatform(async (tx) => {
    const over = deliveries.filter(({ outcome }) => !isToBeTriedAgain(outcome));
    await removeEntries(
      tx,
      over.map(({ entry }) => entry.id),
    );
    const givenUp: DueEntry[] = [];
    for (const { entry, outcome, delayS } of deliveries) {
      if (outcome.kind === 'failed')
        await postponeEntry(tx, entry.id, delayS, outcome.reason.slice(0, MAX_REASON));
      if (outcome.kind === 'dropped') await auditDroppedMail(tx, entry, outcome.reason);
      if (outcome.kind !== 'refused' || !(await refuse(tx, entry.id, delayS, outcome.reason))) continue;
      await auditGivenUp(tx, entry, outcome.reason);
      givenUp.push(entry);
    }
    return givenUp;
  });

/**
 * Puts off an entry that was answered with a refusal: after GIVE_UP_AFTER of them it is set aside. What
 * follows it for the same workflow waits behind it. @returns whether it was given up now
 */
const refuse = (tx: PlatformTransaction, id: number, delayS: number, error: string): Promise<boolean> =>
  countRefusal(tx, id, delayS, error.slice(0, MAX_REASON), GIVE_UP_AFTER);

async function auditDroppedMail(
  tx: PlatformTransaction,
  { id, attempts, entry }: DueEntry,
  reason: string,
): Promise<void> {
  if (entry.kind !== 'mail') return;
  await audit(tx, entry.tenantId, SYSTEM_ACTOR, {
    action: 'mail.drop',
    outcome: 'failed',
    target: { kind: 'mail', id: String(id), label: entry.mail.kind },
    detail: { reason, attempts },
  });
}

function auditGivenUp(
  tx: PlatformTransaction,
  { id, attempts, entry }: DueEntry,
  reason: string,
): Promise<void> {
  return audit(tx, entry.kind === 'start' ? entry.start.tenantId : entry.tenantId, SYSTEM_ACTOR, {
    action: 'dispatch.give_up',
    outcome: 'failed',
    target: { kind: 'dispatch', id: String(id), label: labelOf(entry) },
    detail: { kind: entry.kind, reason: reason.slice(0, 500), attempts },
  });
}

function labelOf(entry: DispatchEntry): string {
  if (entry.kind === 'start') return entry.start.workflowId;
  if ('workflowId' in entry) return entry.workflowId;
  return entry.kind === 'mail' ? entry.mail.kind : entry.kind;
}

/**
 * Whether a dispatcher may still be at an entry of this tenant that it took before; mails take their own
 * time.
 */
export const isDispatchUnderWay = (db: Database, tenantId: string): Promise<boolean> =>
  db.inPlatform(async ({ kysely }) => {
    const found = await kysely
      .selectFrom('dispatch')
      .select('id')
      .where('tenantId', '=', tenantId)
      .where('kind', '<>', 'mail')
      .where('attempts', '>', 0)
      .where('nextAttemptAt', '>', sql<Date>`clock_timestamp()`)
      .where('givenUpAt', 'is', null)
      .limit(1)
      .executeTakeFirst();
    return found !== undefined;
  });

/** Those of the workflows for which an entry waits, be it one that was given up: what follows would wait behind it. */
export async function workflowsWithEntries(
  tx: PlatformTransaction,
  workflowIds: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.kysely
    .selectFrom('dispatch')
    .select('workflowId')
    .distinct()
    .where('workflowId', '=', anyOf(workflowIds))
    .execute();
  return new Set(rows.flatMap(({ workflowId }) => workflowId ?? []));
}

export interface GivenUp {
  readonly id: number;
  readonly kind: DispatchEntry['kind'];
  readonly workflowId: string | null;
  readonly reason: string;
}

export interface GivenUpList {
  readonly items: GivenUp[];
  readonly total: number;
}

/** Entries that were given up, newest first, and how many there are in all. */
export const listGivenUp = (db: Database, limit: number): Promise<GivenUpList> =>
  db.inPlatform((tx) => findGivenUp(tx, limit));

/** Has everything that was given up tried again from now on. @returns what that was, as `listGivenUp` */
export const retryGivenUp = (db: Database, limit: number): Promise<GivenUpList> =>
  db.inPlatform(async (tx) => {
    const found = await findGivenUp(tx, limit);
    if (found.total === 0) return found;
    await takeUpAgain(tx);
    await notifyAtCommit(tx, DISPATCH_CHANNEL);
    const target = { kind: 'dispatch', id: 'all' };
    await audit(tx, null, SYSTEM_ACTOR, {
      action: 'dispatch.retry',
      target,
      detail: { entries: found.total },
    });
    return found;
  });

async function findGivenUp(tx: PlatformTransaction, limit: number): Promise<GivenUpList> {
  const rows = await tx.kysely
    .selectFrom('dispatch')
    .select(['id', 'kind', 'workflowId', 'lastError', sql<number>`count(*) over ()`.as('total')])
    .where('givenUpAt', 'is not', null)
    .orderBy('givenUpAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  const items = rows.map(({ id, kind, workflowId, lastError }) => ({
    ...{ id, kind, workflowId },
    reason: lastError ?? 'unknown reason',
  }));
  return { items, total: rows[0]?.total ?? 0 };
}

export interface DispatchBacklog {
  readonly count: number;
  /** For how long the oldest entry has waited. */
  readonly oldestS: number;
  /** Entries that failed STUCK_AFTER times or more; those that were given up are not counted here. */
  readonly stuck: number;
}

/** What waits; for metrics and readiness. */
export const dispatchBacklog = (db: Database): Promise<DispatchBacklog> =>
  db.inPlatform((tx) =>
    tx.kysely
      .selectFrom('dispatch')
      .select(({ fn }) => [
        fn.countAll<number>().as('count'),
        sql<number>`coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8`.as(
          'oldestS',
        ),
        fn.countAll<number>().filterWhere('attempts', '>=', STUCK_AFTER).as('stuck'),
      ])
      .where('givenUpAt', 'is', null)
      .executeTakeFirstOrThrow(),
  );

/** How much work waits to be handed to the workflow engine, mails left out; counts up to `most`. */
export const waitingWork = (db: Database, most: number): Promise<number> =>
  db.inPlatform(async (tx) => {
    const { count } = await tx.kysely
      .selectFrom(
        tx.kysely
          .selectFrom('dispatch')
          .select('id')
          .where('givenUpAt', 'is', null)
          .where('kind', 'not in', ['mail', 'mail-removal'])
          .limit(most)
          .as('waiting'),
      )
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return count;
  });
