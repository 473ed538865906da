import { type CappedPage, cappedWindow, readPlace, toCappedPage } from '../../core/paging/capped-page.js';
import { toListQuery } from '../../core/paging/page.js';
import type { AuditFilter, AuditPlace, AuditRow } from '../../models/audit/audit.types.js';
import { listAuditActions, listAuditEntries, listAuditPage } from '../../models/audit/audit-list.platform.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { findAuditScope } from '../../models/tenants/tenant.platform.js';

export type AuditRequest = Omit<AuditFilter, 'tenantId' | 'hidden'> & { readonly tenantCode: string | null };

const EXPORT_BATCH = 500;

/** The audit trail as global administrators read it. */
export class AuditService {
  constructor(private readonly db: Database) {}

  /**
   * @throws AppError unprocessable_entity for a bad `after` and for a numbered page beyond the matches that
   * are counted
   */
  async page(
    request: AuditRequest,
    params: { page?: number; page_size?: number; after?: string },
  ): Promise<CappedPage<AuditRow>> {
    const query = toListQuery(params, ['at']);
    const place = readPlace(params, isAuditPlace);
    const window = cappedWindow(query, place !== null);
    const filter = await this.toFilter(request);
    const after = place && { atUs: place[0], id: place[1] };
    const found = filter
      ? await listAuditPage(this.db, filter, { after, ...window })
      : { rows: [], counted: 0 };
    return toCappedPage(query, window, found, (row) => [row.atUs, row.id]);
  }

  /** All matching rows, newest first, batch by batch: no transaction stays open while they are sent. */
  async *all(request: AuditRequest): AsyncGenerator<AuditRow[]> {
    const filter = await this.toFilter(request);
    let after: AuditPlace | null = null;
    while (filter) {
      const batch: AuditRow[] = await listAuditEntries(this.db, filter, {
        after,
        offset: 0,
        limit: EXPORT_BATCH,
      });
      const last = batch.at(-1);
      after = last ? { atUs: last.atUs, id: last.id } : null;
      const isLast = batch.length < EXPORT_BATCH;
      if (after !== null) yield batch;
      // What has been sent is let go of here: old garbage that still refers to the batch would keep every row
      // alive with it.
      batch.length = 0;
      if (isLast) return;
    }
  }

  async actions(tenantCode: string | null): Promise<string[]> {
    const scope = await findAuditScope(this.db, tenantCode);
    return scope ? listAuditActions(this.db, scope.tenantId, scope.hidden) : [];
  }

  /** Null when the named tenant does not exist. */
  private async toFilter({ tenantCode, ...rest }: AuditRequest): Promise<AuditFilter | null> {
    const scope = await findAuditScope(this.db, tenantCode);
    return scope && { ...rest, ...scope };
  }
}

const isAuditPlace = (parts: unknown): parts is [atUs: number, id: number] =>
  Array.isArray(parts) && parts.length === 2 && parts.every((part) => Number.isSafeInteger(part));
