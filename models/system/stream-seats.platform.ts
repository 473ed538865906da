import { unavailable } from '../../core/errors/app-error.js';
import { brokenConstraint } from '../orm/errors.js';
import type { Database } from '../orm/in-tenant.js';
import { giveBackSeats, type SeatLimits, takeSeat, type WantedSeat } from './stream-seats.sql.js';

/**
 * @returns whose limit is reached, null when the seat is taken
 * @throws AppError service_unavailable where the database does not know the process; its next heartbeat says who it is
 */
export async function takeStreamSeat(
  db: Database,
  wanted: WantedSeat,
  limits: SeatLimits,
): Promise<'user' | 'tenant' | null> {
  try {
    return await db.inAuth((tx) => takeSeat(tx, wanted, limits));
  } catch (error) {
    if (brokenConstraint(error) === 'stream_seat_process_fkey')
      throw unavailable('Event streams cannot be opened right now; try again shortly.', error);
    throw error;
  }
}

export const giveBackStreamSeats = (db: Database, ids: readonly string[]): Promise<number> =>
  db.inAuth((tx) => giveBackSeats(tx, ids));
