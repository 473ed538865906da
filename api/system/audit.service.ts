import { type Page, toListQuery, toPage } from '../../core/paging/page.js';
import { type AuditFilter, type AuditRow, countAudit, listAuditActions, listAuditBelow, listAuditPage } from '../../models/audit/audit-list.repository.js';
import type { Database } from '../../models/orm/database.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';
import { findTenantByCode } from '../../models/tenants/tenant.repository.js';

export type AuditRequest = Omit<AuditFilter, 'tenantId'> & { readonly tenantCode: string | null };

/** Small enough that a batch is garbage before it is promoted: a long export keeps a small heap. */
const EXPORT_BATCH = 500;

/** The audit trail as global administrators read it. */
export class AuditService {
  constructor(private readonly db: Database) {}

  async page(request: AuditRequest, params: { page?: number; page_size?: number }): Promise<Page<AuditRow>> {
    const query = toListQuery(params, ['at']);
    return this.db.inPlatform(async (tx) => {
      const filter = await toFilter(tx, request);
      if (!filter) return toPage(query, [], 0);
      const total = await countAudit(tx, filter);
      const items = query.offset < total ? await listAuditPage(tx, filter, query.pageSize, query.offset) : [];
      return toPage(query, items, total);
    });
  }

  /** All matching rows, newest first, batch by batch: no transaction stays open while they are sent. */
  async *all(request: AuditRequest): AsyncGenerator<AuditRow[]> {
    const filter = await this.db.inPlatform((tx) => toFilter(tx, request));
    let below = Number.MAX_SAFE_INTEGER;
    while (filter) {
      const batch = await this.db.inPlatform((tx) => listAuditBelow(tx, filter, below, EXPORT_BATCH));
      const last = batch.at(-1);
      if (!last) return;
      yield batch;
      if (batch.length < EXPORT_BATCH) return;
      below = last.id;
    }
  }

  actions(tenantCode: string | null): Promise<string[]> {
    return this.db.inPlatform(async (tx) => {
      const tenant = tenantCode === null ? null : await findTenantByCode(tx, tenantCode);
      return tenantCode !== null && !tenant ? [] : listAuditActions(tx, tenant?.id ?? null);
    });
  }
}

/** Null when the named tenant does not exist: nothing can match then. */
async function toFilter(tx: PlatformTransaction, { tenantCode, ...rest }: AuditRequest): Promise<AuditFilter | null> {
  const tenant = tenantCode === null ? null : await findTenantByCode(tx, tenantCode);
  return tenantCode !== null && !tenant ? null : { ...rest, tenantId: tenant?.id ?? null };
}
