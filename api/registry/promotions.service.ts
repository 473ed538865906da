import { notFound } from '../../core/errors/app-error.js';
import { type Page, toListQuery } from '../../core/paging/page.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { StateWaits } from '../../models/orm/state-waits.js';
import { decidePromotion, requestPromotion } from '../../models/registry/promotion/promotion.commands.js';
import { findPromotion, listPromotions } from '../../models/registry/promotion/promotion.queries.js';
import { assertSameVersion } from '../../models/registry/promotion/promotion-request.rules.js';
import type { Decision, PromotionRow } from '../../models/registry/promotion/promotion.types.js';
import type { Caller } from '../http/routing/request-context.js';
import type { PromoteRequest, PromotionQuery } from './promotions.schemas.js';

/** What people do with promotions. */
export class PromotionsService {
  constructor(
    private readonly db: Database,
    private readonly states: StateWaits,
  ) {}

  list(caller: Caller, query: PromotionQuery): Promise<Page<PromotionRow>> {
    const list = toListQuery(query, ['created_at'], 'desc');
    return this.db.inTenant(caller.tenant.tenantId, (tx) => listPromotions(tx, list, query.status ?? null));
  }

  async read(caller: Caller, id: string): Promise<PromotionRow> {
    const found = await this.db.inTenant(caller.tenant.tenantId, (tx) => findPromotion(tx, id));
    if (!found) throw notFound('Promotion');
    return found;
  }

  request(caller: Caller, modelName: string, version: number, body: PromoteRequest): Promise<PromotionRow> {
    assertSameVersion(version, body.to_version);
    const wanted = {
      ...{ modelName, version, reason: body.reason, scope: body.scope ?? null },
      rollbackConditions: (body.rollback_conditions ?? []).map(({ metric, op, value, for: span }) => ({
        ...{ metric, op, value, for: span },
      })),
    };
    return this.db.inTenant(caller.tenant.tenantId, (tx) => requestPromotion(tx, caller.actor, wanted));
  }

  /** The promotion once its work has followed the decision, or as it is after 5 s. */
  async decide(
    caller: Caller,
    id: string,
    decision: Decision,
    comment: string | null,
  ): Promise<PromotionRow> {
    await this.db.inTenant(caller.tenant.tenantId, (tx) =>
      decidePromotion(tx, caller.actor, id, decision, comment),
    );
    return this.states.until(
      id,
      () => this.read(caller, id),
      ({ status }) => status !== 'WAITING_APPROVAL' && status !== 'APPROVED',
    );
  }
}
