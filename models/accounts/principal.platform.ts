import { asTenantId, asUserId } from '../../core/security/ids.js';
import type { AuthTransaction } from '../orm/transaction.js';
import { IS_USE_STALE, recordSessionUses } from './auth-session.sql.js';
import { HELD_TENANTS, type HeldTenant, isGlobalAdmin } from './memberships.sql.js';
import type { Principal, TenantAccess } from './principal.types.js';

const sessions = (tx: AuthTransaction) =>
  tx.kysely
    .selectFrom('auth_session as s')
    .innerJoin('user_account as u', 'u.id', 's.userId')
    .select(['s.id as sessionId', 's.kind', 's.expiresAt', 'u.id as userId', 'u.email', 'u.fullName'])
    .select(['u.phone', 'u.isActive', 'u.isVerified'])
    .select([isGlobalAdmin.as('isGlobalAdmin'), IS_USE_STALE.as('isUseStale')])
    .select(HELD_TENANTS.as('held'));

type SessionRow = Awaited<ReturnType<ReturnType<typeof sessions>['executeTakeFirstOrThrow']>>;

/** Records the use. @returns null when there is no such session or it has expired */
export async function findPrincipalByToken(
  tx: AuthTransaction,
  tokenHash: string,
  now: Date,
): Promise<Principal | null> {
  return toPrincipal(tx, await sessions(tx).where('s.tokenHash', '=', tokenHash).executeTakeFirst(), now);
}

export async function findPrincipalBySession(
  tx: AuthTransaction,
  sessionId: string,
  now: Date,
): Promise<Principal | null> {
  return toPrincipal(tx, await sessions(tx).where('s.id', '=', sessionId).executeTakeFirst(), now);
}

async function toPrincipal(
  tx: AuthTransaction,
  row: SessionRow | undefined,
  now: Date,
): Promise<Principal | null> {
  if (!row || (row.expiresAt !== null && row.expiresAt <= now)) return null;
  const { kind: sessionKind, isUseStale, held, userId, ...person } = row;
  if (isUseStale) await recordSessionUses(tx, new Map([[row.sessionId, now]]));
  return {
    ...person,
    userId: asUserId(userId),
    sessionKind,
    tenants: new Map(
      held.filter((tenant) => tenant.isActive).map((tenant) => [tenant.code, toAccess(tenant)]),
    ),
    memberOf: held.map((tenant) => tenant.id),
  };
}

const toAccess = ({ id, code, name, role }: Omit<HeldTenant, 'isActive'>): TenantAccess => ({
  tenantId: asTenantId(id),
  code,
  name,
  role,
});

/** The tenant a global administrator names; null when it does not exist or is switched off. */
export async function findActiveTenantAsAdmin(
  tx: AuthTransaction,
  code: string,
): Promise<TenantAccess | null> {
  const found = await tx.kysely
    .selectFrom('tenant')
    .select(['id', 'code', 'name'])
    .where('code', '=', code)
    .where('isActive', '=', true)
    .executeTakeFirst();
  return found ? toAccess({ ...found, role: 'ADMIN' }) : null;
}
