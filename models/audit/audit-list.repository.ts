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
  /** Entries that their tenant keeps no longer and that are not removed yet. */
  readonly hidden: ReadonlyArray<{ readonly tenantId: string; readonly before: Date }>;
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
  if (filter.hidden.length > 0) {
    const [tenants, befores] = [value(filter.hidden.map((each) => each.tenantId)), value(filter.hidden.map((each) => each.before))];
    parts.push(`not exists (select 1 from unnest(${tenants}::uuid[], ${befores}::timestamptz[]) as h (tenant, before) where h.tenant = e.tenant_id and e.at < h.before)`);
  }
  return { sql: parts.length > 0 ? parts.join(' and ') : 'true', params };
}

const prefixPattern = (prefix: string): string => likePattern(prefix).slice(1);

/** One page, newest first. The page's ids are found in an index; only its rows are read. */
export function listAuditPage(tx: PlatformTransaction, filter: AuditFilter, limit: number, offset: number): Promise<AuditRow[]> {
  const { sql, params } = conditions(filter);
  return tx.query<AuditRow>(
    `select ${COLUMNS} from (select e.id from audit_entry e where ${sql} order by e.at desc, e.id desc limit $${params.length + 1} offset $${params.length + 2}) page
     join audit_entry a on a.id = page.id left join tenant t on t.id = a.tenant_id order by a.at desc, a.id desc`,
    [...params, limit, offset],
  );
}

/** Entries by their ids, newest first. */
export const listAuditEntries = (tx: PlatformTransaction, ids: readonly number[]): Promise<AuditRow[]> =>
  tx.query<AuditRow>(`select ${COLUMNS} from audit_entry a left join tenant t on t.id = a.tenant_id where a.id = any($1::bigint[]) order by a.at desc, a.id desc`, [ids]);

/** Where an export stands: the time in microseconds since 1970 and the id of the last row that was read. */
export interface AuditPlace {
  readonly at_us: number;
  readonly id: number;
}

/** The next rows after a place (null: from the beginning), newest first; the way to read all without a long transaction. */
export function listAuditAfter(tx: PlatformTransaction, filter: AuditFilter, after: AuditPlace | null, limit: number): Promise<Array<AuditRow & AuditPlace>> {
  const { sql, params } = conditions(filter);
  const [atUs, id, size] = [1, 2, 3].map((n) => `$${params.length + n}`);
  const below =
    after === null ? `${atUs}::bigint is null and ${id}::bigint is null` : `(e.at, e.id) < (timestamptz 'epoch' + ${atUs}::bigint * interval '1 microsecond', ${id}::bigint)`;
  return tx.query<AuditRow & AuditPlace>(
    `select ${COLUMNS}, (extract(epoch from a.at) * 1000000)::bigint as at_us from
       (select e.id from audit_entry e where ${sql} and ${below} order by e.at desc, e.id desc limit ${size}) page
     join audit_entry a on a.id = page.id left join tenant t on t.id = a.tenant_id order by a.at desc, a.id desc`,
    [...params, after?.at_us ?? null, after?.id ?? null, limit],
  );
}

/** Up to where rows are counted: those of transactions before `toXid` have ended and never change. */
export interface AuditMark {
  readonly toXid: string;
  /** How often rows were removed. */
  readonly removals: number;
}

export async function readAuditMark(tx: PlatformTransaction): Promise<AuditMark> {
  const [mark] = await tx.query<{ toXid: string; removals: number }>('select to_xid::text as "toXid", removals from audit_count_mark');
  return mark ?? { toXid: '0', removals: 0 };
}

/** Matching rows before the mark, and the later ones. */
export interface AuditCounts {
  readonly settled: number;
  readonly later: number;
}

/** Whether the rows are summed up by what the filter asks for: tenant and action. */
export const isSummedUp = (filter: AuditFilter): boolean => filter.since === null && filter.until === null && filter.actor === null && filter.target === null;

const HIDDEN_ROWS = (tenants: number, befores: number) => `unnest($${tenants}::uuid[], $${befores}::timestamptz[]) as h (tenant, before)`;
const hiddenParams = (hidden: AuditFilter['hidden']) => [hidden.map((each) => each.tenantId), hidden.map((each) => each.before)];

/**
 * All matching rows of a filter that `isSummedUp`, in one statement and therefore of one moment: what is summed up, and
 * the later rows, without the hidden ones, of which there are few until they are removed.
 */
export async function totalOfSums(tx: PlatformTransaction, filter: AuditFilter): Promise<number> {
  // Both tables have the columns that the conditions speak of here: tenant_id and action.
  const { sql, params } = conditions({ ...filter, hidden: [] });
  const [row] = await tx.query<{ total: number }>(
    `select (select coalesce(sum(e.row_count), 0) from audit_count e where ${sql}) +
       (select count(*) from audit_entry e where e.xid >= (select to_xid from audit_count_mark) and ${sql}) -
       (select coalesce(sum(gone.n), 0) from ${HIDDEN_ROWS(params.length + 1, params.length + 2)}
        cross join lateral (select count(*) as n from audit_entry e where e.tenant_id = h.tenant and e.at < h.before and ${sql}) gone) as total`,
    [...params, ...hiddenParams(filter.hidden)],
  );
  return Number(row?.total ?? 0);
}

/** All matching rows, in one statement and therefore of one moment. */
export const countAudit = (tx: PlatformTransaction, filter: AuditFilter, mark: AuditMark): Promise<AuditCounts> => {
  const { sql, params } = conditions(filter);
  return counts(tx, 'true', sql, params, mark);
};

/** Matching rows of transactions from `fromXid` on. */
export const countAuditSince = (tx: PlatformTransaction, filter: AuditFilter, mark: AuditMark, fromXid: string): Promise<AuditCounts> => {
  const { sql, params } = conditions(filter);
  return counts(tx, `e.xid >= $${params.length + 2}::xid8`, sql, params, mark, fromXid);
};

async function counts(tx: PlatformTransaction, from: string, sql: string, params: readonly unknown[], mark: AuditMark, ...rest: string[]): Promise<AuditCounts> {
  const [row] = await tx.query<{ settled: number; later: number }>(
    `select count(*) filter (where e.xid < $${params.length + 1}::xid8) as settled, count(*) filter (where e.xid >= $${params.length + 1}::xid8) as later
     from audit_entry e where ${from} and ${sql}`,
    [...params, mark.toXid, ...rest],
  );
  return row ?? { settled: 0, later: 0 };
}

/** Distinct actions of entries that are not hidden, by name. */
export async function listAuditActions(tx: PlatformTransaction, tenantId: string | null, hidden: AuditFilter['hidden']): Promise<string[]> {
  const rows = await tx.query<{ action: string }>(
    `select action from (select tenant_id, action, row_count from audit_count
     union all select tenant_id, action, 1 from audit_entry where xid >= (select to_xid from audit_count_mark)
     union all select h.tenant, gone.action, -gone.n from ${HIDDEN_ROWS(2, 3)}
       cross join lateral (select e.action, count(*) as n from audit_entry e where e.tenant_id = h.tenant and e.at < h.before group by e.action) gone) found
     where $1::uuid is null or tenant_id = $1 group by action having sum(row_count) > 0 order by action collate "C"`,
    [tenantId, ...hiddenParams(hidden)],
  );
  return rows.map((row) => row.action);
}
