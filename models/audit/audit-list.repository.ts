import { likePattern } from '../../core/paging/page.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import type { AuditOutcome } from './audit.types.js';

/** All given conditions must hold; null asks for nothing. */
export interface AuditFilter {
  readonly actionPrefix: string | null;
  readonly tenantId: string | null;
  /** Inclusive, to the millisecond. */
  readonly since: Date | null;
  /** Inclusive, to the millisecond. */
  readonly until: Date | null;
  /** Part of the e-mail address or name of who did it. */
  readonly actor: string | null;
  /** Part of the target's id or label. */
  readonly target: string | null;
}

export interface AuditRow {
  id: number;
  at: Date;
  tenant_code: string | null;
  actor_id: string | null;
  actor_email: string | null;
  actor_name: string | null;
  action: string;
  target_kind: string;
  target_id: string;
  target_label: string | null;
  outcome: AuditOutcome;
  ip: string | null;
  error_id: string | null;
  detail: Record<string, unknown>;
}

const COLUMNS = `a.id, a.at, t.code as tenant_code, a.actor_id, a.actor_email, a.actor_name, a.action, a.target_kind, a.target_id, a.target_label,
  a.outcome, a.ip, a.error_id, a.detail`;

interface Conditions {
  readonly sql: string;
  readonly params: readonly unknown[];
}

function conditions(filter: AuditFilter): Conditions {
  const params: unknown[] = [];
  const value = (given: unknown) => `$${params.push(given)}`;
  const parts: string[] = [];
  if (filter.tenantId !== null) parts.push(`e.tenant_id = ${value(filter.tenantId)}`);
  if (filter.actionPrefix !== null) parts.push(`e.action like ${value(prefixPattern(filter.actionPrefix))}`);
  if (filter.since !== null) parts.push(`e.at >= ${value(filter.since)}`);
  if (filter.until !== null) parts.push(`e.at < ${value(new Date(filter.until.getTime() + 1))}`);
  if (filter.actor !== null) {
    const pattern = value(likePattern(filter.actor));
    parts.push(`(e.actor_email ilike ${pattern} or e.actor_name ilike ${pattern})`);
  }
  if (filter.target !== null) {
    const pattern = value(likePattern(filter.target));
    parts.push(`(e.target_id ilike ${pattern} or e.target_label ilike ${pattern})`);
  }
  return { sql: parts.length > 0 ? parts.join(' and ') : 'true', params };
}

const prefixPattern = (prefix: string): string => likePattern(prefix).slice(1);

/** One page, newest first. The page's ids are found in an index; only its rows are read. */
export function listAuditPage(tx: PlatformTransaction, filter: AuditFilter, limit: number, offset: number): Promise<AuditRow[]> {
  const { sql, params } = conditions(filter);
  return tx.query<AuditRow>(
    `select ${COLUMNS} from (select e.id from audit_entry e where ${sql} order by e.id desc limit $${params.length + 1} offset $${params.length + 2}) page
     join audit_entry a on a.id = page.id left join tenant t on t.id = a.tenant_id order by a.id desc`,
    [...params, limit, offset],
  );
}

/** The next rows below an id, newest first; the way to read all without a long transaction. */
export function listAuditBelow(tx: PlatformTransaction, filter: AuditFilter, belowId: number, limit: number): Promise<AuditRow[]> {
  const { sql, params } = conditions(filter);
  return tx.query<AuditRow>(
    `select ${COLUMNS} from audit_entry a left join tenant t on t.id = a.tenant_id
     where a.id in (select e.id from audit_entry e where ${sql} and e.id < $${params.length + 1} order by e.id desc limit $${params.length + 2}) order by a.id desc`,
    [...params, belowId, limit],
  );
}

/** The exact number of matching rows, in one statement and therefore of one moment. */
export async function countAudit(tx: PlatformTransaction, filter: AuditFilter): Promise<number> {
  const isCounted = filter.since === null && filter.until === null && filter.actor === null && filter.target === null;
  const { sql, params } = conditions(filter);
  const [row] = await tx.query<{ total: number }>(isCounted ? countedTotal(sql) : `select count(*) as total from audit_entry e where ${sql}`, params);
  return Number(row?.total ?? 0);
}

/** Both tables have the columns that the conditions speak of here: tenant_id and action. */
const countedTotal = (sql: string): string => `select
  (select coalesce(sum(e.row_count), 0) from audit_count e where ${sql}) +
  (select count(*) from audit_entry e where e.xid >= (select to_xid from audit_count_mark) and ${sql}) as total`;

/** Distinct actions, by name. */
export async function listAuditActions(tx: PlatformTransaction, tenantId: string | null): Promise<string[]> {
  const rows = await tx.query<{ action: string }>(
    `select action from (select action from audit_count where row_count > 0 and ($1::uuid is null or tenant_id = $1)
     union select action from audit_entry where xid >= (select to_xid from audit_count_mark) and ($1::uuid is null or tenant_id = $1)) found
     order by action collate "C"`,
    [tenantId],
  );
  return rows.map((row) => row.action);
}
