import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../core/errors/app-error.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { giveBackStreamSeats, takeStreamSeat } from '../../models/system/processes.platform.js';
import type { SeatLimits } from '../../models/system/stream-seats.sql.js';

const RETRY_AFTER_S = 30;
const TRY_AGAIN_MS = 1000;

/**
 * Open streams of each person and tenant, counted over all API processes. Those of a process that died count until its
 * heartbeat is too old.
 */
export class StreamSeats {
  private givenBack: string[] = [];
  private isGivingBack = false;
  private isClosed = false;

  /** @param place of this process's heartbeat */
  constructor(
    private readonly db: Database,
    private readonly place: string,
    private readonly limits: SeatLimits,
  ) {}

  /** @throws AppError too_many_requests; @returns how to give the seat back, safe to call twice */
  async take(userId: string, tenantId: string | null): Promise<() => void> {
    const id = randomUUID();
    const full = await takeStreamSeat(
      this.db,
      { id, place: this.place, userId, tenantId },
      this.limits,
    ).catch((error: unknown) => {
      // The commit may have gone through all the same.
      this.giveBack(id);
      throw error;
    });
    if (full !== null) throw tooMany(full, this.limits);
    let isHeld = true;
    return () => {
      if (isHeld) this.giveBack(id);
      isHeld = false;
    };
  }

  /** Seats go with the heartbeat of the process: nothing is given back one by one any more. */
  close(): void {
    this.isClosed = true;
  }

  private giveBack(id: string): void {
    this.givenBack.push(id);
    if (!this.isGivingBack) void this.giveBackAll();
  }

  /** What ends while one statement runs goes with the next one. */
  private async giveBackAll(): Promise<void> {
    this.isGivingBack = true;
    // Streams that end together share a statement.
    await Promise.resolve();
    while (this.givenBack.length > 0 && !this.isClosed) {
      const ids = this.givenBack.splice(0);
      try {
        await giveBackStreamSeats(this.db, ids);
      } catch {
        this.givenBack.push(...ids);
        await sleep(TRY_AGAIN_MS, undefined, { ref: false });
      }
    }
    this.isGivingBack = false;
  }
}

function tooMany(full: 'user' | 'tenant', { perUser, perTenant }: SeatLimits): AppError {
  const text = full === 'user' ? `You hold ${perUser}` : `The tenant holds ${perTenant}`;
  return new AppError('too_many_requests', `${text} event streams already; close one first.`, null, {
    retryAfterS: RETRY_AFTER_S,
  });
}
