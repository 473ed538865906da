import { adoptObjects, freeObjects, giveUpObjects } from '../../objects/orphaned-object.commands.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { AttemptRef } from '../experiment.types.js';

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
  const { fromByte, toByte, objectKey } = segment;
  const { numInsertedOrUpdatedRows } = await tx.kysely
    .insertInto('log_segment')
    .values({
      ...segment,
      experimentId,
      attempt,
      tenantId: tx.tenantId,
      sizeBytes: toByte - fromByte,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) return giveUpObjects(tx, [objectKey]);
  await adoptObjects(tx, [objectKey]);
  await tx.kysely
    .deleteFrom('log_chunk')
    .where('experimentId', '=', experimentId)
    .where('attempt', '=', attempt)
    .where('fromByte', '>=', fromByte)
    .where('fromByte', '<', toByte)
    .execute();
}

/** The experiment is about to go, with the logs of all its attempts. */
export async function removeLogSegments(tx: TenantTransaction, experimentId: string): Promise<void> {
  const gone = await tx.kysely
    .deleteFrom('log_segment')
    .where('tenantId', '=', tx.tenantId)
    .where('experimentId', '=', experimentId)
    .returning('objectKey as key')
    .execute();
  await freeObjects(tx, gone);
}
