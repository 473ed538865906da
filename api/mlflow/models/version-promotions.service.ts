import { notFound } from '../../../core/errors/app-error.js';
import type { Database } from '../../../models/orm/in-tenant.js';
import type { StateWaits } from '../../../models/orm/state-waits.js';
import { joinPromotion } from '../../../models/registry/promotion/join-promotion.commands.js';
import { findPromotion } from '../../../models/registry/promotion/promotion.queries.js';
import type { TrackerCaller } from '../protocol/tracker-callers.js';
import { assertApplied } from './version-promotions.rules.js';

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
   *   too_many_requests, which clients repeat, while its checks go on
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
