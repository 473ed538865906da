import { conflict, fieldError, notFound, unprocessable } from '../../core/errors/app-error.js';
import { announceAuthChange } from '../accounts/auth-change.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { dispatch } from '../orm/dispatch.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { DELETION_STEPS, type DeletionRow } from './deletion.types.js';
import { tellOfDeletion } from './deletion-notification.js';
import { deletionStart } from './deletion-work.types.js';
import { findDeletion, findDeletionOf, lockDeletion, logDeletion } from './deletion.repository.js';
import { lockTenant } from './tenant.repository.js';

/**
 * Locks the tenant and asks for its erasure, in one transaction: from its commit on the tenant is unknown to its members
 * and nothing new is started for it. Cannot be taken back.
 * @param confirmCode must be the tenant's code
 * @throws AppError not_found, unprocessable_entity for another code, conflict when the erasure was asked for before
 */
export async function requestDeletion(tx: PlatformTransaction, actor: Actor, tenantId: string, confirmCode: string): Promise<DeletionRow> {
  const tenant = await lockTenant(tx, tenantId);
  const earlier = await findDeletionOf(tx, tenantId);
  if (earlier) throw conflict('The deletion of this tenant was asked for already; follow it, or retry it when it failed.', { deletion_id: earlier.deletionId });
  if (!tenant) throw notFound('Tenant');
  if (confirmCode !== tenant.code) throw unprocessable([fieldError(['body', 'confirm_code'], 'must be the code of the tenant that is to be deleted')]);
  const rows = await tx.query<{ id: string }>('insert into tenant_deletion (erased_tenant, tenant_code, asked_by, asked_by_email) values ($1, $2, $3, $4) returning id', [
    tenantId,
    tenant.code,
    actor.id,
    actor.email,
  ]);
  const { id } = rows[0] as { id: string };
  await tx.execute('insert into tenant_deletion_step (deletion_id, position, key) select $1, s.position, s.key from unnest($2::text[]) with ordinality as s (key, position)', [
    id,
    DELETION_STEPS,
  ]);
  await logDeletion(tx, id, null, `Asked for by ${actor.email ?? 'the platform'}; the tenant is locked.`);
  await tx.execute('update tenant set is_active = false, updated_at = now() where id = $1', [tenantId]);
  await dispatch(tx, { kind: 'start', start: deletionStart({ deletionId: id, attempt: 1 }) });
  await audit(tx, null, actor, { action: 'tenant.deletion_request', target: { kind: 'tenant', id: tenantId, label: tenant.code }, detail: { deletion_id: id } });
  await tellOfDeletion(tx, { deletionId: id, tenantId, tenantCode: tenant.code }, 'started', `Asked for by ${actor.email ?? 'the platform'}. It cannot be taken back.`);
  await announceAuthChange(tx, { tenantId });
  return (await findDeletion(tx, id)) as DeletionRow;
}

/**
 * Begins a failed deletion again; steps that are done stay done.
 * @throws AppError not_found, conflict unless it has failed
 */
export async function retryDeletion(tx: PlatformTransaction, actor: Actor, deletionId: string): Promise<DeletionRow> {
  const deletion = await lockDeletion(tx, deletionId);
  if (!deletion) throw notFound('Deletion');
  if (deletion.status !== 'failed') throw conflict(`The deletion is ${deletion.status}; only a failed one can be retried.`, { status: deletion.status });
  const attempt = deletion.attempt + 1;
  await tx.execute("update tenant_deletion set status = 'running', status_message = '', attempt = $2, updated_at = now() where id = $1", [deletionId, attempt]);
  await tx.execute("update tenant_deletion_step set status = 'pending', message = '' where deletion_id = $1 and status <> 'done'", [deletionId]);
  await logDeletion(tx, deletionId, null, `Retried by ${actor.email ?? 'the platform'}.`);
  await dispatch(tx, { kind: 'start', start: deletionStart({ deletionId, attempt }) });
  await audit(tx, null, actor, {
    action: 'tenant.deletion_retry',
    target: { kind: 'tenant', id: deletion.tenantId, label: deletion.tenantCode },
    detail: { deletion_id: deletionId, attempt },
  });
  return (await findDeletion(tx, deletionId)) as DeletionRow;
}
