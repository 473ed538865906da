import type { TenantTransaction } from '../../orm/transaction.js';
import type { LogRef } from '../../workloads/logs/log-ref.js';
import type { AttemptRef } from '../experiment.types.js';

export const attemptLog = ({ tenantId, experimentId, attempt }: AttemptRef): LogRef => ({
  ...{ tenantId, owner: 'experiment', ownerId: experimentId, part: attempt },
});

/** The bytes `[from, to)` of the log of the current attempt; less when they are no rows any more. */
export async function readLogRange(
  tx: TenantTransaction,
  experimentId: string,
  from: number,
  to: number,
): Promise<string> {
  const rows = await tx.kysely
    .selectFrom('log_chunk as c')
    .innerJoin('training_experiment as e', (join) =>
      join.onRef('e.id', '=', 'c.experimentId').onRef('e.attempt', '=', 'c.attempt'),
    )
    .select(['c.fromByte', 'c.text'])
    .where('c.experimentId', '=', experimentId)
    .where('c.toByte', '>', from)
    .where('c.fromByte', '<', to)
    .orderBy('c.fromByte')
    .execute();
  const first = rows[0];
  if (!first) return '';
  return Buffer.from(rows.map((row) => row.text).join(''))
    .subarray(Math.max(0, from - first.fromByte), to - first.fromByte)
    .toString('utf8');
}
