import { randomUUID } from 'node:crypto';
import { conflict, fieldError, notFound, unprocessable } from '../../core/errors/app-error.js';
import { announceAuthChange } from '../access/auth-change.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import type { Database } from '../orm/in-tenant.js';
import { dispatch } from '../outbox/dispatch.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { lockDeletion } from './deletion-progress.platform.js';
import { deletionStart } from './deletion-work.types.js';
import {
  type DeletionDetail,
  findDeletionDetail,
  findDeletionOf,
  logDeletion,
  notifyOfDeletion,
} from './deletion.platform.js';
import { DELETION_STEPS } from './deletion-steps.types.js';
import { TenantDeletionStep } from './tenant-deletion-step.entity.js';
import { TenantDeletion } from './tenant-deletion.entity.js';
import { lockTenant } from './tenant.commands.platform.js';
import type { Tenant } from './tenant.entity.js';

/**
 * Locks the tenant and asks for its erasure, in one transaction: from its commit on the tenant is unknown to
 * its members and nothing new is started for it. Cannot be taken back.
 * @param confirmCode must be the tenant's code
 * @throws AppError not_found, unprocessable_entity for another code, conflict when the erasure was asked for
 *   before
 */
export const requestDeletion = (
  db: Database,
  actor: Actor,
  tenantId: string,
  confirmCode: string,
): Promise<DeletionDetail> =>
  db.inPlatform(async (tx) => {
    const tenant = await lockTenant(tx, tenantId);
    const earlier = await findDeletionOf(tx, tenantId);
    if (earlier)
      throw conflict(
        'The deletion of this tenant was asked for already; follow it, or retry it when it failed.',
        {
          deletion_id: earlier.deletionId,
        },
      );
    if (!tenant) throw notFound('Tenant');
    if (confirmCode !== tenant.code)
      throw unprocessable([
        fieldError(['body', 'confirm_code'], 'must be the code of the tenant that is to be deleted'),
      ]);
    const id = await insertDeletion(tx, actor, tenant);
    const by = `Asked for by ${actor.email ?? 'the platform'}`;
    await logDeletion(tx, id, null, `${by}; the tenant is locked.`);
    Object.assign(tenant, { isActive: false, updatedAt: new Date() });
    await tx.em.flush();
    await dispatch(tx, { kind: 'start', start: deletionStart({ deletionId: id, attempt: 1 }) });
    await audit(tx, null, actor, {
      action: 'tenant.deletion_request',
      target: { kind: 'tenant', id: tenantId, label: tenant.code },
      detail: { deletion_id: id },
    });
    const of = { deletionId: id, tenantId, tenantCode: tenant.code };
    await notifyOfDeletion(tx, of, 'started', `${by}. It cannot be taken back.`);
    await announceAuthChange(tx, { tenantId });
    return (await findDeletionDetail(tx, id)) as DeletionDetail;
  });

/** With its checklist. @returns its id */
async function insertDeletion(tx: PlatformTransaction, actor: Actor, tenant: Tenant): Promise<string> {
  const id = randomUUID();
  tx.em.create(TenantDeletion, {
    id,
    erasedTenant: tenant.id,
    tenantCode: tenant.code,
    askedBy: actor.id,
    askedByEmail: actor.email,
  });
  await tx.em.flush();
  for (const [index, key] of DELETION_STEPS.entries())
    tx.em.create(TenantDeletionStep, { deletionId: id, position: index + 1, key, checkpoint: null });
  await tx.em.flush();
  return id;
}

/**
 * Begins a failed deletion again; steps that are done stay done.
 * @throws AppError not_found, conflict unless it has failed
 */
export const retryDeletion = (db: Database, actor: Actor, deletionId: string): Promise<DeletionDetail> =>
  db.inPlatform(async (tx) => {
    const deletion = await lockDeletion(tx, deletionId);
    if (!deletion) throw notFound('Deletion');
    const { status, erasedTenant, tenantCode } = deletion;
    if (status !== 'failed')
      throw conflict(`The deletion is ${status}; only a failed one can be retried.`, { status });
    const attempt = deletion.attempt + 1;
    Object.assign(deletion, { status: 'running', statusMessage: '', attempt, updatedAt: new Date() });
    const left = await tx.em.find(TenantDeletionStep, { deletionId, status: { $ne: 'done' } });
    for (const step of left) Object.assign(step, { status: 'pending', message: '' });
    await tx.em.flush();
    await logDeletion(tx, deletionId, null, `Retried by ${actor.email ?? 'the platform'}.`);
    await dispatch(tx, { kind: 'start', start: deletionStart({ deletionId, attempt }) });
    await audit(tx, null, actor, {
      action: 'tenant.deletion_retry',
      target: { kind: 'tenant', id: erasedTenant, label: tenantCode },
      detail: { deletion_id: deletionId, attempt },
    });
    return (await findDeletionDetail(tx, deletionId)) as DeletionDetail;
  });
