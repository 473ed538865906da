import type { Transaction } from '../orm/transaction.js';
import { PROCESS_LEASE_S } from './process-heartbeat.types.js';

export interface WantedSeat {
  readonly id: string;
  readonly place: string;
  readonly userId: string;
  readonly tenantId: string | null;
}

export interface SeatLimits {
  readonly perUser: number;
  readonly perTenant: number;
}

// hot: one statement looks, counts and takes under the locks of the person and the tenant
/** @returns whose limit is reached, null when the seat is taken */
export async function takeSeat(
  tx: Transaction,
  { id, place, userId, tenantId }: WantedSeat,
  { perUser, perTenant }: SeatLimits,
): Promise<'user' | 'tenant' | null> {
  const [row] = await tx.query<{ full: 'user' | 'tenant' | null }>(
    'select take_stream_seat($1, $2, $3, $4, $5, $6, make_interval(secs => $7)) as full',
    [id, place, userId, tenantId, perUser, perTenant, PROCESS_LEASE_S],
  );
  return row?.full ?? null;
}

export const giveBackSeats = (tx: Transaction, ids: readonly string[]): Promise<number> =>
  tx.execute('-- set: those that ended together\n delete from stream_seat where id = any($1)', [ids]);
