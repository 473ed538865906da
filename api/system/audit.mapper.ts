import { fieldError, unprocessable } from '../../core/errors/app-error.js';
import { csvRecord } from '../../formats/tables/csv-writer.js';
import { parseInstant } from '../../core/time/parse-instant.js';
import type { AuditFilter, AuditRow } from '../../models/audit/audit.types.js';
import type { AuditEntryOut, AuditQuery } from './audit.schemas.js';

/** @throws AppError unprocessable_entity for a bad date-time */
export const toAuditFilter = (
  query: AuditQuery,
): Omit<AuditFilter, 'tenantId' | 'hidden'> & { tenantCode: string | null } => ({
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
  if (!parsed)
    throw unprocessable([fieldError(['query', name], 'must be an ISO 8601 date-time', 'datetime_parsing')]);
  return parsed;
}

export const toAuditEntryOut = (row: AuditRow): AuditEntryOut => {
  const at = row.at.toISOString();
  return {
    id: String(row.id),
    at,
    actor: { id: row.actorId, email: row.actorEmail, full_name: row.actorName },
    action: row.action,
    tenant_code: row.tenantCode,
    target: { kind: row.targetKind, id: row.targetId, label: row.targetLabel },
    outcome: row.outcome,
    ip: row.ip,
    error_id: row.errorId,
    detail: { ...row.detail },
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
    row.tenantCode,
    row.actorId,
    row.actorEmail,
    row.actorName,
    row.action,
    row.targetKind,
    row.targetId,
    row.targetLabel,
    row.outcome,
    row.ip,
    row.errorId,
    JSON.stringify(row.detail),
  ]);
