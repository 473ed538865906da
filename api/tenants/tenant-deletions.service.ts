import { notFound } from '../../core/errors/app-error.js';
import type { EventBus } from '../../core/ports/event-bus.js';
import type { Actor } from '../../models/audit/audit.types.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';
import { requestDeletion, retryDeletion } from '../../models/tenants/deletion.commands.js';
import { deletionEvent } from '../../models/tenants/deletion-events.js';
import { findDeletion, listDeletionLog, listDeletions, listDeletionSteps } from '../../models/tenants/deletion.repository.js';
import type { DeletionLogLine, DeletionRow, DeletionStepRow, ErasureCounts } from '../../models/tenants/deletion.types.js';
import { type SurveyPlaces, surveyTenant } from '../../models/tenants/erasure-survey.js';
import { findTenant } from '../../models/tenants/tenant.repository.js';
import type { SessionCache } from '../auth/session-cache.js';

export interface DeletionDetail {
  readonly deletion: DeletionRow;
  readonly steps: readonly DeletionStepRow[];
  readonly log: readonly DeletionLogLine[];
}

/** Erasing tenants, as global administrators ask for it and watch it. */
export class TenantDeletionsService {
  constructor(
    private readonly places: SurveyPlaces,
    private readonly cache: SessionCache,
    private readonly events: EventBus,
  ) {}

  list(): Promise<{ items: Array<{ deletion: DeletionRow; steps: readonly DeletionStepRow[] }>; total: number }> {
    return this.places.database.inPlatform(async (tx) => {
      const { items, total } = await listDeletions(tx);
      const steps = await listDeletionSteps(
        tx,
        items.map((deletion) => deletion.deletionId),
      );
      return { items: items.map((deletion) => ({ deletion, steps: steps.get(deletion.deletionId) ?? [] })), total };
    });
  }

  read(id: string): Promise<DeletionDetail> {
    return this.places.database.inPlatform(async (tx) => {
      const deletion = await findDeletion(tx, id);
      if (!deletion) throw notFound('Deletion');
      return detail(tx, deletion);
    });
  }

  /** Counts everything that a deletion removes now, which takes as long as the tenant is large. */
  async preview(tenantId: string): Promise<{ tenant: { id: string; code: string }; counts: ErasureCounts }> {
    const tenant = await this.places.database.inPlatform((tx) => findTenant(tx, tenantId));
    if (!tenant) throw notFound('Tenant');
    return { tenant, counts: await surveyTenant(this.places, tenant.id) };
  }

  async request(actor: Actor, tenantId: string, confirmCode: string): Promise<DeletionDetail> {
    const found = await this.places.database.inPlatform(async (tx) => detail(tx, await requestDeletion(tx, actor, tenantId, confirmCode)));
    this.cache.drop({ tenantId });
    this.events.publish([deletionEvent(found.deletion.deletionId, found.deletion.status)]);
    return found;
  }

  async retry(actor: Actor, id: string): Promise<DeletionDetail> {
    const found = await this.places.database.inPlatform(async (tx) => detail(tx, await retryDeletion(tx, actor, id)));
    this.events.publish([deletionEvent(id, found.deletion.status)]);
    return found;
  }
}

async function detail(tx: PlatformTransaction, deletion: DeletionRow): Promise<DeletionDetail> {
  const steps = (await listDeletionSteps(tx, [deletion.deletionId])).get(deletion.deletionId) ?? [];
  return { deletion, steps, log: await listDeletionLog(tx, deletion.deletionId) };
}
