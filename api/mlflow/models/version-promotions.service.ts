import { badRequest, notFound, unavailable } from '../../../core/errors/app-error.js';
import type { Database } from '../../../models/orm/in-tenant.js';
import type { StateWaits } from '../../../models/orm/state-waits.js';
import { joinPromotion } from '../../../models/registry/promotion/join-promotion.commands.js';
import { findPromotion } from '../../../models/registry/promotion/promotion.queries.js';
import type { PromotionRow } from '../../../models/registry/promotion/promotion.types.js';
import type { TrackerCaller } from '../protocol/tracker-callers.js';

/** Clients wait 120 s for an answer. */
const WITHIN_MS = 60_000;
const REASON = 'Moved by a client of the tracker.';

/** Promotions for a protocol that knows no requests: its one call asks for one and waits for what becomes of it. */
export class VersionPromotions {
  constructor(
    private readonly db: Database,
    private readonly states: StateWaits,
  ) {}

  /**
   * Idempotent: a repeated call waits for the promotion that is under way.
   * @throws AppError not_found; bad_request, naming the promotion, where it failed or waits for a second person;
   *   service_unavailable, which clients repeat, while its checks go on
   */
  async promote({ tenant, actor }: TrackerCaller, modelName: string, version: number): Promise<void> {
    const { tenantId } = tenant;
    const id = await this.db.inTenant(tenantId, (tx) =>
      joinPromotion(tx, actor, { modelName, version, reason: REASON }),
    );
    if (id === null) return;
    const promotion = await this.states.until(
      id,
      () => this.db.inTenant(tenantId, (tx) => findPromotion(tx, id)),
      (row) => row?.status !== 'PENDING_CHECKS' && row?.status !== 'APPROVED',
      { withinMs: WITHIN_MS },
    );
    if (!promotion) throw notFound('Model version');
    assertApplied(promotion);
  }
}

/** @throws AppError as `promote` does */
function assertApplied({ id, modelName, version, status, statusMessage }: PromotionRow): void {
  const named = `Promotion ${id} of ${modelName} ${version}`;
  switch (status) {
    case 'APPLIED':
    case 'ROLLED_BACK':
      return;
    case 'PENDING_CHECKS':
    case 'APPROVED':
      throw unavailable(`${named} is under way: ${statusMessage} Repeat the call to wait for it.`);
    case 'WAITING_APPROVAL':
      throw badRequest(`${named} waits in the registry: a second person must approve it.`);
    case 'FAILED':
    case 'REJECTED':
    case 'EXPIRED':
      throw badRequest(`${named} is ${status}: ${statusMessage}`);
  }
}
