import { AppError } from '../../core/errors/app-error.js';

export interface SeatLimits {
  readonly perUser: number;
  readonly perTenant: number;
}

const RETRY_AFTER_S = 30;

/** Counts open streams for each person and tenant. */
export class StreamSeats {
  private readonly taken = new Map<string, number>();

  constructor(private readonly limits: SeatLimits) {}

  /** @throws AppError too_many_requests; @returns how to give the seat back, safe to call twice */
  take(userId: string, tenantId: string | null): () => void {
    const seats = [
      [`u:${userId}`, this.limits.perUser, 'You hold'] as const,
      ...(tenantId === null ? [] : [[`t:${tenantId}`, this.limits.perTenant, 'The tenant holds'] as const]),
    ];
    for (const [key, limit, who] of seats) {
      if ((this.taken.get(key) ?? 0) >= limit)
        throw new AppError(
          'too_many_requests',
          `${who} ${limit} event streams already; close one first.`,
          null,
          { retryAfterS: RETRY_AFTER_S },
        );
    }
    for (const [key] of seats) this.taken.set(key, (this.taken.get(key) ?? 0) + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      for (const [key] of seats) this.leave(key);
    };
  }

  private leave(key: string): void {
    const left = (this.taken.get(key) ?? 1) - 1;
    if (left === 0) this.taken.delete(key);
    else this.taken.set(key, left);
  }
}
