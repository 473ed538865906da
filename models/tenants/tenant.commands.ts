import { conflict, fieldError, notFound, unprocessable } from '../../core/errors/app-error.js';
import { announceAuthChange } from '../accounts/auth-change.js';
import { requireLine } from '../../core/text/line-text.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { brokenConstraint } from '../orm/database-errors.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { findDeletionOf, isErasedCode } from './deletion.repository.js';
import { lockTenant, type TenantRow } from './tenant.repository.js';
import { checkTenantSettings, tenantCodeProblem, type TenantSettings } from './tenant.rules.js';

export interface NewTenant extends TenantSettings {
  readonly code: string;
  readonly name: string;
}

/** @throws AppError unprocessable_entity for a reserved code or bad settings, conflict for a taken code */
export async function createTenant(tx: PlatformTransaction, actor: Actor, wanted: NewTenant): Promise<TenantRow> {
  const problem = tenantCodeProblem(wanted.code);
  if (problem !== null) throw unprocessable([fieldError(['body', 'code'], problem)]);
  requireLine(wanted.name, 'name');
  checkTenantSettings(wanted);
  if (await isErasedCode(tx, wanted.code)) throw codeTaken();
  const id = await insertTenant(tx, wanted);
  await audit(tx, id, actor, { action: 'tenant.create', target: { kind: 'tenant', id, label: wanted.code } });
  return (await lockTenant(tx, id)) as TenantRow;
}

async function insertTenant(tx: PlatformTransaction, wanted: NewTenant): Promise<string> {
  try {
    const rows = await tx.query<{ id: string }>('insert into tenant (code, name, kpi_targets, retention, features, shared_defaults) values ($1, $2, $3, $4, $5, $6) returning id', [
      wanted.code,
      wanted.name,
      JSON.stringify(wanted.kpiTargets ?? {}),
      JSON.stringify(wanted.retention ?? {}),
      JSON.stringify(wanted.features ?? {}),
      JSON.stringify(wanted.sharedDefaults ?? []),
    ]);
    return (rows[0] as { id: string }).id;
  } catch (error) {
    if (brokenConstraint(error) === 'tenant_code_key') throw codeTaken();
    throw error;
  }
}

const codeTaken = () => conflict('A tenant with this code exists already, or existed; codes are never used again.');

/** Only what is given changes; objects are replaced as a whole. */
export interface TenantChanges extends TenantSettings {
  readonly name?: string;
  readonly isActive?: boolean;
}

/** A tenant that is switched off is gone for its members at once: their processes are told at commit. */
export async function updateTenant(tx: PlatformTransaction, actor: Actor, id: string, changes: TenantChanges): Promise<TenantRow> {
  requireLine(changes.name, 'name');
  checkTenantSettings(changes);
  const before = await lockTenant(tx, id);
  if (!before) throw notFound('Tenant');
  const deletion = await findDeletionOf(tx, id);
  if (deletion) throw conflict('This tenant is being deleted, which cannot be taken back.', { deletion_id: deletion.deletionId });
  await tx.execute(
    `update tenant set name = coalesce($2, name), is_active = coalesce($3, is_active), kpi_targets = coalesce($4, kpi_targets),
       retention = coalesce($5, retention), features = coalesce($6, features), updated_at = now() where id = $1`,
    [id, changes.name ?? null, changes.isActive ?? null, json(changes.kpiTargets), json(changes.retention), json(changes.features)],
  );
  const after = (await lockTenant(tx, id)) as TenantRow;
  await audit(tx, id, actor, { action: actionOf(before, after), target: { kind: 'tenant', id, label: before.code }, detail: { fields: changedFields(before, after) } });
  if (before.is_active !== after.is_active || before.name !== after.name) await announceAuthChange(tx, { tenantId: id });
  return after;
}

function actionOf(before: TenantRow, after: TenantRow): string {
  if (before.is_active === after.is_active) return 'tenant.update';
  return after.is_active ? 'tenant.activate' : 'tenant.deactivate';
}

const FIELDS = ['name', 'is_active', 'kpi_targets', 'retention', 'features'] as const;
const changedFields = (before: TenantRow, after: TenantRow): string[] => FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));

const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
