import type { PlatformTransaction, TenantTransaction } from '../orm/transaction.js';

/** Kinds of records that this version keeps; telemetry and inference come with the devices that send them. */
export type RetainedKind = 'logs' | 'audit' | 'uploads';

export interface Retained {
  readonly tenantId: string;
  /** What is older is over. */
  readonly before: Date;
}

/** For a statement whose `tenant` is the text of a parameter: the oldest instant of the kind that may be read. */
export const readableSince = (tenant: string, kind: RetainedKind): string => `(select coalesce(retention_cutoff(${tenant}, '${kind}'), '-infinity'))`;

/** The oldest instant of the kind that may be read; null: no limit. */
export async function retentionCutoff(tx: TenantTransaction, kind: RetainedKind): Promise<Date | null> {
  const [row] = await tx.query<{ before: Date | null }>('select retention_cutoff($1, $2) as before', [tx.tenantId, kind]);
  return row?.before ?? null;
}

/** Tenants that limit this kind; without those that are being erased. */
export const listRetained = (tx: PlatformTransaction, kind: RetainedKind): Promise<Retained[]> =>
  tx.query<{ tenantId: string; before: Date }>(
    `select id as "tenantId", retention_cutoff(id, $1) as before from tenant
     where retention_cutoff(id, $1) is not null and id not in (select erased_tenant from tenant_deletion) order by id`,
    [kind],
  );

/**
 * Of the tenants that limit their audit trail, those with entries that are over and not removed yet. The limit is that of
 * the full hour, so that what was counted within it stands.
 */
export const listHiddenAudit = (tx: PlatformTransaction, tenantId: string | null): Promise<Retained[]> =>
  tx.query<{ tenantId: string; before: Date }>(
    `select t.id as "tenantId", h.before from tenant t cross join lateral (select date_trunc('hour', retention_cutoff(t.id, 'audit'), 'UTC') as before) h
     where jsonb_typeof(t.retention->'audit') = 'number' and ($1::uuid is null or t.id = $1)
       and (select a.at from audit_entry a where a.tenant_id = t.id order by a.at limit 1) < h.before order by t.id`,
    [tenantId],
  );
