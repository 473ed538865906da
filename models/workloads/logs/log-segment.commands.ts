import { adoptObjects, freeObjects, giveUpObjects } from '../../objects/orphaned-object.commands.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { LogRef } from './log-ref.js';
import {
  deleteSealedChunks,
  deleteSegments,
  deleteSegmentsBefore,
  insertSegment,
} from './log-segment.sql.js';

export interface SealedText {
  readonly fromByte: number;
  readonly toByte: number;
  readonly sourceEnd: number;
  readonly sha256: string;
  readonly objectKey: string;
}

/**
 * A stored object takes the place of the rows with its bytes. When somebody else was first, the object is given up.
 */
export async function replaceRowsBySegment(
  tx: TenantTransaction,
  { owner, ownerId, part }: LogRef,
  segment: SealedText,
): Promise<void> {
  const { fromByte, toByte, sourceEnd, sha256, objectKey } = segment;
  const range = [ownerId, part, fromByte, toByte];
  const inserted = await tx.execute(insertSegment(owner), [
    ...range,
    sourceEnd,
    sha256,
    objectKey,
    tx.tenantId,
  ]);
  if (inserted === 0) return giveUpObjects(tx, [objectKey]);
  await adoptObjects(tx, [objectKey]);
  await tx.execute(deleteSealedChunks(owner), [...range, tx.tenantId]);
}

/** The owner is about to go, with all its logs. */
export async function removeLogSegments(
  tx: TenantTransaction,
  { owner, ownerId }: Pick<LogRef, 'owner' | 'ownerId'>,
): Promise<void> {
  await freeObjects(tx, await tx.rows<{ key: string }>(deleteSegments(owner), [tx.tenantId, ownerId]));
}

/** Removes the segments of a log that end at this byte or before it. */
export async function removeSegmentsBefore(tx: TenantTransaction, ref: LogRef, byte: number): Promise<void> {
  const { owner, ownerId, part } = ref;
  const gone = [tx.tenantId, ownerId, part, byte];
  await freeObjects(tx, await tx.rows<{ key: string }>(deleteSegmentsBefore(owner), gone));
}
