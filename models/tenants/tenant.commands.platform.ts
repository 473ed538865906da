import { randomUUID } from 'node:crypto';
import { LockMode } from '@mikro-orm/postgresql';
import { conflict, fieldError, notFound, unprocessable } from '../../core/errors/app-error.js';
import { requireLine } from '../../core/text/line-text.js';
import { announceAuthChange } from '../access/auth-change.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { brokenConstraint } from '../orm/errors.js';
import type { Database } from '../orm/in-tenant.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { findDeletionOf, isErasedCode } from './deletion.platform.js';
import { Tenant } from './tenant.entity.js';
import type { TenantRow } from './tenant.platform.js';
import { checkTenantSettings, tenantCodeProblem, type TenantSettings } from './tenant.rules.js';

export interface NewTenant extends TenantSettings {
  readonly code: string;
  readonly name: string;
}

/** @throws AppError unprocessable_entity for a reserved code or bad settings, conflict for a taken code */
export const createTenant = (db: Database, actor: Actor, wanted: NewTenant): Promise<TenantRow> =>
  db.inPlatform(async (tx) => {
    const problem = tenantCodeProblem(wanted.code);
    if (problem !== null) throw unprocessable([fieldError(['body', 'code'], problem)]);
    requireLine(wanted.name, 'name');
    checkTenantSettings(wanted);
    if (await isErasedCode(tx, wanted.code)) throw codeTaken();
    return findRow(tx, await addTenant(tx, actor, wanted)).executeTakeFirstOrThrow();
  });

/** @param wanted checked. @returns its id @throws AppError conflict for a taken code */
export async function addTenant(tx: PlatformTransaction, actor: Actor, wanted: NewTenant): Promise<string> {
  const { code, name, kpiTargets = {}, retention = {}, features = {}, sharedDefaults = [] } = wanted;
  const id = randomUUID();
  tx.em.create(Tenant, { id, code, name, kpiTargets, retention, features, sharedDefaults });
  try {
    await tx.em.flush();
  } catch (error) {
    if (brokenConstraint(error) === 'tenant_code_key') throw codeTaken();
    throw error;
  }
  await audit(tx, id, actor, { action: 'tenant.create', target: { kind: 'tenant', id, label: code } });
  return id;
}

const codeTaken = () =>
  conflict('A tenant with this code exists already, or existed; codes are never used again.');

/** Only what is given changes; objects are replaced as a whole. */
export interface TenantChanges extends TenantSettings {
  readonly name?: string;
  readonly isActive?: boolean;
}

/**
 * A tenant that is switched off is gone for its members at once: all processes are notified at commit.
 * @param onRetention what follows how long a tenant keeps things, in the same transaction
 */
export const updateTenant = (
  db: Database,
  actor: Actor,
  id: string,
  changes: TenantChanges,
  onRetention: (tx: PlatformTransaction, tenantId: string) => Promise<unknown>,
): Promise<TenantRow> =>
  db.inPlatform(async (tx) => {
    requireLine(changes.name, 'name');
    checkTenantSettings(changes);
    const before = await findRow(tx, id).forNoKeyUpdate().executeTakeFirst();
    if (!before) throw notFound('Tenant');
    const deletion = await findDeletionOf(tx, id);
    if (deletion) {
      const detail = { deletion_id: deletion.deletionId };
      throw conflict('This tenant is being deleted, which cannot be taken back.', detail);
    }
    const { name, isActive, kpiTargets, retention, features } = changes;
    const given = Object.entries({ name, isActive, kpiTargets, retention, features });
    const tenant = await tx.em.findOneOrFail(Tenant, { id });
    Object.assign(tenant, Object.fromEntries(given.filter(([, value]) => value !== undefined)));
    tenant.updatedAt = new Date();
    await tx.em.flush();
    // As the database has it: it orders the keys of an object.
    const after = await findRow(tx, id).executeTakeFirstOrThrow();
    await audit(tx, id, actor, {
      action: actionOf(before, after),
      target: { kind: 'tenant', id, label: before.code },
      detail: { fields: changedFields(before, after) },
    });
    const changed = changedFields(before, after);
    if (changed.includes('retention')) await onRetention(tx, id);
    // The class in which records of devices are stored goes with what is known of their tokens.
    if (changed.some((field) => KNOWN_TO_CALLERS.includes(field)))
      await announceAuthChange(tx, { tenantId: id });
    return after;
  });

const findRow = (tx: PlatformTransaction, id: string) =>
  tx.kysely.selectFrom('tenant').selectAll().where('id', '=', id);

function actionOf(before: TenantRow, after: TenantRow): string {
  if (before.isActive === after.isActive) return 'tenant.update';
  return after.isActive ? 'tenant.activate' : 'tenant.deactivate';
}

/** By property, the name in the detail of an audit entry. */
const FIELDS = {
  name: 'name',
  isActive: 'is_active',
  kpiTargets: 'kpi_targets',
  retention: 'retention',
  features: 'features',
} as const;

/** What is kept in memory of those who call. */
const KNOWN_TO_CALLERS: readonly string[] = ['is_active', 'name', 'retention'];

function changedFields(before: TenantRow, after: TenantRow): string[] {
  const properties = Object.keys(FIELDS) as Array<keyof typeof FIELDS>;
  const changed = properties.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  return changed.map((key) => FIELDS[key]);
}

/**
 * Locks the row until the transaction ends, against writers of anything that belongs to the tenant too: they
 * are waited for, and who comes later sees what became of it.
 */
export const lockTenant = (tx: PlatformTransaction, id: string): Promise<Tenant | null> =>
  tx.em.findOne(Tenant, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });

/** What belongs to it is gone before. */
export async function removeTenantRow(tx: PlatformTransaction, tenant: Tenant): Promise<void> {
  tx.em.remove(tenant);
  await tx.em.flush();
}
