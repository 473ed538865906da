import { notFound } from '../../core/errors/app-error.js';
import type { EventBus } from '../../core/ports/event-bus.js';
import type { Actor } from '../../models/audit/audit.types.js';
import { deletionEvent } from '../../models/tenants/deletion-events.js';
import { requestDeletion, retryDeletion } from '../../models/tenants/deletion-requests.platform.js';
import { type DeletionDetail, listDeletions, readDeletion } from '../../models/tenants/deletion.platform.js';
import type { ErasureCounts } from '../../models/tenants/deletion.types.js';
import { type SurveyPlaces, surveyTenant } from '../../models/tenants/erasure-survey.platform.js';
import { findTenant } from '../../models/tenants/tenant.platform.js';
import type { SessionCache } from '../auth/session-cache.js';

/** Erasing tenants, as global administrators ask for it and watch it. */
export class TenantDeletionsService {
  constructor(
    private readonly places: SurveyPlaces,
    private readonly cache: SessionCache,
    private readonly events: EventBus,
  ) {}

  list(): Promise<{ items: Array<Omit<DeletionDetail, 'log'>>; total: number }> {
    return listDeletions(this.places.database);
  }

  async read(id: string): Promise<DeletionDetail> {
    const found = await readDeletion(this.places.database, id);
    if (!found) throw notFound('Deletion');
    return found;
  }

  /** Counts everything that a deletion removes now, which takes as long as the tenant is large. */
  async preview(tenantId: string): Promise<{ tenant: { id: string; code: string }; counts: ErasureCounts }> {
    const tenant = await findTenant(this.places.database, tenantId);
    if (!tenant) throw notFound('Tenant');
    return { tenant, counts: await surveyTenant(this.places, tenant.id) };
  }

  async request(actor: Actor, tenantId: string, confirmCode: string): Promise<DeletionDetail> {
    const found = await requestDeletion(this.places.database, actor, tenantId, confirmCode);
    this.cache.drop({ tenantId });
    this.events.publish([deletionEvent(found.deletion.deletionId, found.deletion.status)]);
    return found;
  }

  async retry(actor: Actor, id: string): Promise<DeletionDetail> {
    const found = await retryDeletion(this.places.database, actor, id);
    this.events.publish([deletionEvent(id, found.deletion.status)]);
    return found;
  }
}
