import { sql } from 'kysely';
import type { Database } from '../orm/in-tenant.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { GENESIS, type SealRange, sealOf } from './audit-seal.js';
import { AuditSeal } from './audit-seal.entity.js';
import { digest, lastSeal } from './audit-seal.platform.js';
import { chainsToSeal, hasUnsealedEntries, raiseEpoch } from './audit-seal.sql.js';
import { audit } from './audit.commands.js';
import type { Actor } from './audit.types.js';

/** Channel on which sealers hear of new entries; a trigger of audit_entry sends on it. */
export const AUDIT_CHANNEL = 'visionops_audit';

const SEALER_LOCK = 7_201_002;

/**
 * Entries up to `toId` can be sealed once all transactions below `xid` have ended: each transaction that took
 * an id up to `toId` had its transaction id before, and the sealer took `xid` after it had read `toId`.
 */
interface Mark {
  readonly epoch: number;
  readonly toId: number;
  /** Kept in memory alone: transaction ids of one cluster mean nothing in another. */
  readonly xid: string;
}

interface Pass {
  /** How many seals were written. */
  readonly sealed: number;
  /** Committed rows wait for a seal all the same: for older transactions to end, or for another sealer. */
  readonly isUnfinished: boolean;
}

/**
 * Seals finished audit rows, each tenant's in its own chain. One sealer works at a time; another finds the
 * lock taken and does nothing. No writer waits: a range ends at an id up to which no row can appear any more.
 */
export class AuditSealing {
  private mark: Mark | null = null;

  constructor(private readonly database: Database) {}

  /** Writes nothing when nothing is new, and nothing while a transaction of before the mark runs. */
  async pass(): Promise<Pass> {
    const passed = await this.database.inPlatform((tx) => this.sealIn(tx));
    // Taken now, since those who write now will have ended by the next pass; in a transaction of its own, since one that has
    // written seals had its transaction id before others took ids for their entries.
    if (passed.isUnfinished) this.mark ??= await this.database.inPlatform(takeMark);
    return passed;
  }

  private async sealIn(tx: PlatformTransaction): Promise<Pass> {
    if (!(await hasUnsealedEntries(tx))) return { sealed: 0, isUnfinished: false };
    if (!(await tryLock(tx))) return { sealed: 0, isUnfinished: true };
    // After a restore the database may be another cluster.
    if (this.mark?.epoch !== (await currentEpoch(tx))) this.mark = null;
    this.mark ??= await takeMark(tx);
    if (!(await isPassed(tx, this.mark))) return { sealed: 0, isUnfinished: true };
    const sealed = await sealUpTo(tx, this.mark);
    this.mark = null;
    return { sealed, isUnfinished: await hasUnsealedEntries(tx) };
  }
}

async function tryLock(tx: PlatformTransaction): Promise<boolean> {
  const { isHeld } = await tx.kysely
    .selectNoFrom(sql<boolean>`pg_try_advisory_xact_lock(${SEALER_LOCK})`.as('isHeld'))
    .executeTakeFirstOrThrow();
  return isHeld;
}

const currentEpoch = async (tx: PlatformTransaction): Promise<number> =>
  (await tx.kysely.selectFrom('audit_epoch').select('epoch').executeTakeFirstOrThrow()).epoch;

/**
 * In this order: whoever took an id up to `toId` has a transaction id by now, and ours is above it. So `tx` must not have
 * written anything yet.
 */
async function takeMark(tx: PlatformTransaction): Promise<Mark> {
  const epoch = await currentEpoch(tx);
  const { toId } = await tx.kysely
    .selectNoFrom(sql<number>`pg_sequence_last_value('audit_entry_id_seq')`.as('toId'))
    .executeTakeFirstOrThrow();
  const { xid } = await tx.kysely
    .selectNoFrom(sql<string>`pg_current_xact_id()::text`.as('xid'))
    .executeTakeFirstOrThrow();
  return { epoch, toId, xid };
}

/** Whether every transaction below that of the mark has ended; its rows are then seen by the next statement. */
async function isPassed(tx: PlatformTransaction, { xid }: Mark): Promise<boolean> {
  const oldest = sql`pg_snapshot_xmin(pg_current_snapshot())`;
  const { isOver } = await tx.kysely
    .selectNoFrom(sql<boolean>`${oldest} >= ${xid}::xid8`.as('isOver'))
    .executeTakeFirstOrThrow();
  return isOver;
}

/** @returns how many seals were written */
async function sealUpTo(tx: PlatformTransaction, mark: Mark): Promise<number> {
  const chains = await chainsToSeal(tx, mark.toId);
  for (const chain of chains) await sealChain(tx, chain, mark);
  await tx.em.flush();
  return chains.length;
}

async function sealChain(tx: PlatformTransaction, chain: string, { epoch, toId }: Mark): Promise<void> {
  const previous = await lastSeal(tx, chain);
  const range: SealRange = { chain, epoch, fromId: previous?.toId ?? 0, toId };
  const { count, sha256 } = await digest(tx, range);
  const previousSeal = previous?.seal ?? GENESIS;
  const seal = sealOf(range, sha256, previousSeal);
  tx.em.create(AuditSeal, { ...range, rowCount: count, rowsSha256: sha256, previousSeal, seal });
}

/**
 * For a restore, before anything serves. What was written after the backup is gone and its ids are taken
 * again: the epoch distinguishes the new seals from those of the lost entries, and no restored entry's id is taken.
 * @returns the new epoch
 */
export async function raiseAuditEpoch(tx: PlatformTransaction, actor: Actor): Promise<number> {
  const epoch = await raiseEpoch(tx);
  await audit(tx, null, actor, {
    action: 'audit.epoch_raise',
    target: { kind: 'audit', id: String(epoch) },
    detail: { epoch },
  });
  return epoch;
}

/** 1, and one more for each restore. */
export const readAuditEpoch = (db: Database): Promise<number> =>
  db.inPlatform(
    async (tx) => (await tx.kysely.selectFrom('audit_epoch').select('epoch').executeTakeFirstOrThrow()).epoch,
  );
