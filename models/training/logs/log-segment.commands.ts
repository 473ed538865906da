import { adoptObjects, freeObjects, giveUpObjects } from '../../objects/orphaned-object.commands.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { AttemptRef } from '../experiment.types.js';
import { DELETE_SEALED_CHUNKS, DELETE_SEGMENTS, INSERT_SEGMENT } from './log-segment.sql.js';

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
  { experimentId, attempt }: AttemptRef,
  segment: SealedText,
): Promise<void> {
  const { fromByte, toByte, sourceEnd, sha256, objectKey } = segment;
  const part = [experimentId, attempt, fromByte, toByte];
  const inserted = await tx.execute(INSERT_SEGMENT, [...part, sourceEnd, sha256, objectKey, tx.tenantId]);
  if (inserted === 0) return giveUpObjects(tx, [objectKey]);
  await adoptObjects(tx, [objectKey]);
  await tx.execute(DELETE_SEALED_CHUNKS, [...part, tx.tenantId]);
}

/** The experiment is about to go, with the logs of all its attempts. */
export async function removeLogSegments(tx: TenantTransaction, experimentId: string): Promise<void> {
  await freeObjects(tx, await tx.rows<{ key: string }>(DELETE_SEGMENTS, [tx.tenantId, experimentId]));
}
