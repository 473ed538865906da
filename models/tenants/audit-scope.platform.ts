import type { HiddenAudit } from '../audit/audit.types.js';
import type { Database } from '../orm/in-tenant.js';
import { listHiddenAudit } from './retention.sql.js';
import { findTenantByCode } from './tenant.platform.js';

/** What of the audit trail is shown. */
export interface AuditScope {
  /** Null: the trail of all tenants and of the platform. */
  readonly tenantId: string | null;
  /** What tenants keep no longer and is not removed yet. */
  readonly hidden: readonly HiddenAudit[];
}

/** @returns null when the named tenant does not exist: nothing can match then */
export const findAuditScope = (db: Database, tenantCode: string | null): Promise<AuditScope | null> =>
  db.inPlatform(async (tx) => {
    const tenant = tenantCode === null ? null : await findTenantByCode(tx, tenantCode);
    if (tenantCode !== null && !tenant) return null;
    const tenantId = tenant?.id ?? null;
    return { tenantId, hidden: await listHiddenAudit(tx, tenantId) };
  });
