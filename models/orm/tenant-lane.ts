import { unavailable } from '../../core/errors/app-error.js';
import { SharedSlots } from '../../core/load/shared-slots.js';
import type { TenantId } from '../../core/security/ids.js';
import type { Database } from './in-tenant.js';
import type { TenantTransaction } from './transaction.js';

export type TenantDatabase = Pick<Database, 'inTenant'>;

const WAITS_MS = 5_000;
/** More of one tenant would not have their turn in time: they are refused at once. */
const MOST_OF_A_TENANT = 500;

/**
 * A part of the tenants' pool for callers that come in crowds, such as the devices of a fleet that were all called at once. What
 * they wait for is a place here, so that the rest of the pool answers everybody else; the last place is no single tenant's.
 */
export class TenantLane implements TenantDatabase {
  private readonly places: SharedSlots;

  constructor(
    private readonly db: TenantDatabase,
    places: number,
    private readonly waitsMs = WAITS_MS,
  ) {
    this.places = new SharedSlots(places, Math.max(1, places - 1));
  }

  /** As that of the database. @throws AppError service_unavailable when no place comes free in time */
  async inTenant<T>(
    tenantId: TenantId,
    work: (tx: TenantTransaction) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    if (this.places.ahead(tenantId) >= MOST_OF_A_TENANT) throw busy();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(busy()), this.waitsMs);
    const begin = () => {
      clearTimeout(timer);
      return this.db.inTenant(tenantId, work, signal);
    };
    try {
      return await this.places.during(tenantId, begin, late.signal);
    } finally {
      clearTimeout(timer);
    }
  }
}

const busy = () => unavailable('Too many devices are served right now; try again shortly.');
