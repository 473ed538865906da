import { fieldError, unprocessable } from '../../core/errors/app-error.js';
import { csvRecord } from '../../core/csv/csv.js';
import { parseInstant } from '../../core/time/parse-instant.js';
import type { AuditFilter, AuditRow } from '../../models/audit/audit-list.repository.js';
import type { AuditEntryOut, AuditQuery } from './audit.schemas.js';

/** @throws AppError unprocessable_entity for a bad date-time */
export const toAuditFilter = (query: AuditQuery): Omit<AuditFilter, 'tenantId' | 'hidden'> & { tenantCode: string | null } => ({
  actionPrefix: text(query.action),
  tenantCode: text(query.tenant),
  since: instant('since', query.since),
  until: instant('until', query.until),
  actor: text(query.actor),
  target: text(query.target),
});

const text = (given: string | undefined): string | null => given?.trim() || null;

function instant(name: string, given: string | undefined): Date | null {
  if (given === undefined || given === '') return null;
  const parsed = parseInstant(given);
  if (!parsed) throw unprocessable([fieldError(['query', name], 'must be an ISO 8601 date-time', 'datetime_parsing')]);
  return parsed;
}

export const toAuditEntryOut = (row: AuditRow): AuditEntryOut => {
  const at = row.at.toISOString();
  return {
    id: String(row.id),
    at,
    actor: { id: row.actor_id, email: row.actor_email, full_name: row.actor_name },
    action: row.action,
    tenant_code: row.tenant_code,
    target: { kind: row.target_kind, id: row.target_id, label: row.target_label },
    outcome: row.outcome,
    ip: row.ip,
    error_id: row.error_id,
    detail: row.detail,
    created_at: at,
    updated_at: at,
  };
};

export const AUDIT_CSV_HEADER = csvRecord([
  'id',
  'at',
  'tenant_code',
  'actor_id',
  'actor_email',
  'actor_name',
  'action',
  'target_kind',
  'target_id',
  'target_label',
  'outcome',
  'ip',
  'error_id',
  'detail',
]);

export const toAuditCsv = (row: AuditRow): string =>
  csvRecord([
    row.id,
    row.at.toISOString(),
    row.tenant_code,
    row.actor_id,
    row.actor_email,
    row.actor_name,
    row.action,
    row.target_kind,
    row.target_id,
    row.target_label,
    row.outcome,
    row.ip,
    row.error_id,
    JSON.stringify(row.detail),
  ]);
