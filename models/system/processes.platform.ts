import { sql } from 'kysely';
import { unavailable } from '../../core/errors/app-error.js';
import { brokenConstraint } from '../orm/errors.js';
import type { Database } from '../orm/in-tenant.js';
import { ProcessHeartbeat } from './process-heartbeat.entity.js';
import { NO_FACTS, type ProcessIdentity } from './process-heartbeat.types.js';
import { writeHeartbeat } from './processes.sql.js';
import { giveBackSeats, type SeatLimits, takeSeat, type WantedSeat } from './stream-seats.sql.js';

export interface Heartbeat {
  readonly place: string;
  readonly startedAt: Date;
  /** Seconds since it was last seen, by the database's clock. */
  readonly ageS: number;
}

/** Ages are compared between machines, so the one clock that all of them share sets and reads them. */
const AGE_S = sql<number>`extract(epoch from clock_timestamp() - seen_at)::float8`;

/** Says that the process is alive; processes not seen for a day are forgotten. */
export const beat = (db: Database, who: ProcessIdentity): Promise<void> =>
  db.inPlatform((tx) => writeHeartbeat(tx, who, NO_FACTS));

/** The process stopped in order. */
export const forgetHeartbeat = (db: Database, { process, place }: ProcessIdentity): Promise<void> =>
  db.inPlatform(async ({ em }) => {
    const known = await em.findOne(ProcessHeartbeat, { process, place });
    if (known) em.remove(known);
    await em.flush();
  });

/** The workers, most recently seen first, at most 100. */
export const listWorkers = (db: Database): Promise<Heartbeat[]> =>
  db.inPlatform(({ kysely }) =>
    kysely
      .selectFrom('process_heartbeat')
      .select(['place', 'startedAt', AGE_S.as('ageS')])
      .where('process', '=', 'worker')
      .orderBy('seenAt', 'desc')
      .limit(100)
      .execute(),
  );

/**
 * Takes a seat of a process for an event stream; it goes with the process.
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
