import type { Transaction } from '../orm/transaction.js';
import type { Retained, RetainedKind } from './retention.types.js';

/**
 * For SQL text whose `tenant` is the name of a parameter: the oldest instant of the kind that may be read.
 */
export const readableSince = (tenant: string, kind: RetainedKind): string =>
  `(select coalesce(retention_cutoff(${tenant}, '${kind}'), '-infinity'))`;

const RETAINED = `select id as tenant_id, retention_cutoff(id, $1) as before from tenant
  where retention_cutoff(id, $1) is not null and id not in (select erased_tenant from tenant_deletion)
  order by id`;

/** Tenants that limit this kind; without those that are being erased. */
export const listRetained = (tx: Transaction, kind: RetainedKind): Promise<Retained[]> =>
  tx.rows<Retained>(RETAINED, [kind]);

const HIDDEN_AUDIT = `select t.id as tenant_id, h.before from tenant t
  cross join lateral (select date_trunc('hour', retention_cutoff(t.id, 'audit'), 'UTC') as before) h
  where jsonb_typeof(t.retention->'audit') = 'number' and ($1::uuid is null or t.id = $1)
    and (select a.at from audit_entry a where a.tenant_id = t.id order by a.at limit 1) < h.before
  order by t.id`;

/**
 * Tenants that limit their audit trail and have entries that are over and not removed yet. The limit is that of the full hour, so that what was counted within it stands.
 */
export const listHiddenAudit = (tx: Transaction, tenantId: string | null): Promise<Retained[]> =>
  tx.rows<Retained>(HIDDEN_AUDIT, [tenantId]);
