import { type Page, toListQuery, toPage } from '../../core/paging/page.js';
import { type AuditFilter, type AuditPlace, type AuditRow, listAuditActions, listAuditAfter, listAuditEntries, listAuditPage } from '../../models/audit/audit-list.repository.js';
import type { AuditMemory } from '../../models/audit/audit-memory.js';
import { AuditTotals } from '../../models/audit/audit-totals.js';
import type { Database } from '../../models/orm/database.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';
import { listHiddenAudit } from '../../models/tenants/retention.repository.js';
import { findTenantByCode } from '../../models/tenants/tenant.repository.js';

export type AuditRequest = Omit<AuditFilter, 'tenantId' | 'hidden'> & { readonly tenantCode: string | null };

const EXPORT_BATCH = 500;

/** The audit trail as global administrators read it: from memory, and by SQL where it is too long for that or not read in yet. */
export class AuditService {
  private readonly totals = new AuditTotals();

  constructor(
    private readonly db: Database,
    private readonly memory: AuditMemory,
  ) {}

  /** Reads the trail into memory, or what was added since. */
  follow(signal: AbortSignal): Promise<void> {
    return this.memory.follow((work) => this.db.inPlatform(work), signal);
  }

  async page(request: AuditRequest, params: { page?: number; page_size?: number }): Promise<Page<AuditRow>> {
    const query = toListQuery(params, ['at']);
    return this.db.inPlatform(async (tx) => {
      const filter = await toFilter(tx, request);
      if (!filter) return toPage(query, [], 0);
      const found = await this.memory.find(tx, filter, query.offset, query.pageSize);
      if (found) return toPage(query, await listAuditEntries(tx, found.ids), found.total);
      const total = await this.totals.total(tx, filter);
      const items = query.offset < total ? await listAuditPage(tx, filter, query.pageSize, query.offset) : [];
      return toPage(query, items, total);
    });
  }

  /** All matching rows, newest first, batch by batch: no transaction stays open while they are sent. */
  async *all(request: AuditRequest): AsyncGenerator<AuditRow[]> {
    const filter = await this.db.inPlatform((tx) => toFilter(tx, request));
    let after: AuditPlace | null = null;
    while (filter) {
      const from: AuditPlace | null = after;
      const batch: Array<AuditRow & AuditPlace> = await this.db.inPlatform((tx) => listAuditAfter(tx, filter, from, EXPORT_BATCH));
      const last = batch.at(-1);
      after = last ? { at_us: last.at_us, id: last.id } : null;
      const isLast = batch.length < EXPORT_BATCH;
      if (after !== null) yield batch;
      // What has been sent is let go of here: old garbage that still refers to the batch would keep every row alive with it.
      batch.length = 0;
      if (isLast) return;
    }
  }

  actions(tenantCode: string | null): Promise<string[]> {
    return this.db.inPlatform(async (tx) => {
      const tenant = tenantCode === null ? null : await findTenantByCode(tx, tenantCode);
      const tenantId = tenant?.id ?? null;
      return tenantCode !== null && !tenant ? [] : listAuditActions(tx, tenantId, await listHiddenAudit(tx, tenantId));
    });
  }
}

/** Null when the named tenant does not exist: nothing can match then. */
async function toFilter(tx: PlatformTransaction, { tenantCode, ...rest }: AuditRequest): Promise<AuditFilter | null> {
  const tenant = tenantCode === null ? null : await findTenantByCode(tx, tenantCode);
  const tenantId = tenant?.id ?? null;
  return tenantCode !== null && !tenant ? null : { ...rest, tenantId, hidden: await listHiddenAudit(tx, tenantId) };
}
