import { sql } from 'kysely';
import { MAX_PLAIN_LIST } from '../../core/paging/page.js';
import { asTenantId } from '../../core/security/ids.js';
import { anyOf } from '../orm/any-of.js';
import type { AuthTransaction } from '../orm/transaction.js';
import { AccessToken } from './access-token.entity.js';
import { noteTokenUse } from './access-token.sql.js';
import type { AccessTokenRow, TokenHolder, TokenKind } from './access-token.types.js';
import { isGlobalAdmin } from './account.platform.js';
import type { Role } from '../access/permission.rules.js';

const tokens = (tx: AuthTransaction) =>
  tx.kysely
    .selectFrom('access_token as a')
    .innerJoin('tenant as t', 't.id', 'a.tenantId')
    .select(['a.id', 'a.kind', 't.code as tenantCode', 'a.name', 'a.readOnly', 'a.createdAt'])
    .select(['a.expiresAt', 'a.lastUsedAt']);

/** A person's tokens by name, at most 1000, with their true number. Expired ones stay for a while, to be seen. */
export async function listAccessTokens(
  tx: AuthTransaction,
  userId: string,
): Promise<{ items: AccessTokenRow[]; total: number }> {
  const items = await tokens(tx)
    .select(({ fn }) => fn.countAll<number>().over().as('total'))
    .where('a.userId', '=', userId)
    .orderBy(sql`lower(a.name)`)
    .orderBy('a.createdAt')
    .orderBy('a.id')
    .limit(MAX_PLAIN_LIST)
    .execute();
  return { items, total: items[0]?.total ?? 0 };
}

export async function findAccessToken(tx: AuthTransaction, id: string): Promise<AccessTokenRow | null> {
  return (await tokens(tx).where('a.id', '=', id).executeTakeFirst()) ?? null;
}

/**
 * Who a token stands for, and notes its use. Null for an unknown or expired one, a disabled account, a tenant that is
 * switched off, and where the person has no role in the tenant any more.
 * @param hashes of the secret, one for each server key
 */
export async function useAccessToken(
  tx: AuthTransaction,
  kind: TokenKind,
  hashes: readonly string[],
  now: Date,
): Promise<TokenHolder | null> {
  const row = await tx.kysely
    .selectFrom('access_token as a')
    .innerJoin('user_account as u', 'u.id', 'a.userId')
    .innerJoin('tenant as t', 't.id', 'a.tenantId')
    .leftJoin('membership as m', (join) =>
      join.onRef('m.userId', '=', 'a.userId').onRef('m.tenantId', '=', 'a.tenantId'),
    )
    .select(['a.id as tokenId', 'a.kind', 'a.readOnly as isReadOnly', 'a.expiresAt', 'u.id as userId'])
    .select(['u.email', 'u.fullName', 't.id as tenantId', 't.code', 't.name'])
    .select(sql<Role | null>`case when ${isGlobalAdmin} then 'ADMIN' else m.role end`.as('role'))
    .where('a.tokenHash', '=', anyOf(hashes))
    .where('a.kind', '=', kind)
    .where('a.expiresAt', '>', now)
    .where('u.isActive', '=', true)
    .where('t.isActive', '=', true)
    .executeTakeFirst();
  if (!row) return null;
  const { tenantId, code, name, role, ...holder } = row;
  if (role === null) return null;
  await noteTokenUse(tx, row.tokenId, now);
  return { ...holder, tenant: { tenantId: asTenantId(tenantId), code, name, role } };
}

/** For good: a role or an account that comes back does not bring its tokens back. */
export async function deleteAccessTokensOf(tx: AuthTransaction, userId: string): Promise<void> {
  await tx.em.nativeDelete(AccessToken, { userId });
}
