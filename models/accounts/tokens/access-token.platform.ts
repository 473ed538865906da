import { sql } from 'kysely';
import { MAX_PLAIN_LIST } from '../../../core/paging/page.js';
import { asTenantId } from '../../../core/security/ids.js';
import { anyOf } from '../../orm/any-of.js';
import type { Database } from '../../orm/in-tenant.js';
import type { AuthTransaction, PlatformTransaction } from '../../orm/transaction.js';
import { AccessToken } from './access-token.entity.js';
import { claimExpiringTokens, recordTokenUse } from './access-token.sql.js';
import type { AccessTokenRow, TokenHolder, TokenKind } from './access-token.types.js';
import { lockUser } from '../account.platform.js';
import { isGlobalAdmin } from '../memberships.sql.js';
import type { Role } from '../../access/permission.rules.js';
import { conflict, notFound } from '../../../core/errors/app-error.js';
import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import { announceAuthChange } from '../../access/auth-change.js';
import { messages } from '../../notifications/messages.rules.js';
import { notifyAll } from '../../notifications/notify.commands.js';

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
 * Who a token stands for, and records its use. Null for an unknown or expired one, a disabled account, a tenant that is
 * switched off, and where the person has no role in the tenant any more.
 * @param hashes of the secret, one for each server key
 */
export const useAccessToken = (
  db: Database,
  kind: TokenKind,
  hashes: readonly string[],
  now: Date,
): Promise<TokenHolder | null> => db.inAuth((tx) => findTokenHolder(tx, kind, hashes, now));

async function findTokenHolder(
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
  await recordTokenUse(tx, row.tokenId, now);
  return { ...holder, tenant: { tenantId: asTenantId(tenantId), code, name, role } };
}

const MAX_TOKENS = 200;
const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 90;

export interface NewAccessToken {
  readonly kind: TokenKind;
  readonly tenantId: string;
  readonly name: string;
  readonly isReadOnly: boolean;
  readonly expiresInDays?: number;
  /** Keyed hash of the secret. */
  readonly tokenHash: string;
}

/** @throws AppError conflict when the person has 200 tokens already */
export async function issueAccessToken(
  tx: AuthTransaction,
  actor: Actor,
  userId: string,
  wanted: NewAccessToken,
  now: Date,
): Promise<AccessTokenRow> {
  // Locked, so that many calls at once do not pass the limit together.
  if (!(await lockUser(tx, userId))) throw notFound('User');
  if ((await tx.em.count(AccessToken, { userId })) >= MAX_TOKENS)
    throw conflict(`You have ${MAX_TOKENS} tokens; revoke one first.`);
  const expiresAt = new Date(now.getTime() + (wanted.expiresInDays ?? DEFAULT_DAYS) * DAY_MS);
  const { kind, tenantId, name, tokenHash, isReadOnly: readOnly } = wanted;
  const token = tx.em.create(AccessToken, { tenantId, userId, kind, name, tokenHash, readOnly, expiresAt });
  await tx.em.flush();
  const made = (await findAccessToken(tx, token.id)) as AccessTokenRow;
  await audit(tx, wanted.tenantId, actor, {
    action: 'user.token_create',
    target: { kind: 'access_token', id: made.id, label: wanted.name },
    detail: { kind: wanted.kind, read_only: wanted.isReadOnly, expires_at: expiresAt.toISOString() },
  });
  return made;
}

/** @throws AppError not_found for an unknown token and for somebody else's */
export async function revokeAccessToken(
  tx: AuthTransaction,
  actor: Actor,
  userId: string,
  tokenId: string,
): Promise<void> {
  const token = await tx.em.findOne(AccessToken, { id: tokenId, userId });
  if (!token || (await tx.em.nativeDelete(AccessToken, { id: tokenId })) === 0) throw notFound('Token');
  await audit(tx, token.tenantId, actor, {
    action: 'user.token_revoke',
    target: { kind: 'access_token', id: tokenId, label: token.name },
    detail: { kind: token.kind },
  });
  await announceAuthChange(tx, { tokenId });
}

/** Owners of access tokens are notified this long before the end. */
const AHEAD_MS = 7 * 86_400_000;
const BATCH = 500;

/** Notifies owners of tokens that end within a week, each once. @returns how many, at most 500 */
export async function notifyExpiringTokens(tx: PlatformTransaction, now: Date): Promise<number> {
  const tokens = await claimExpiringTokens(tx, now, new Date(now.getTime() + AHEAD_MS), BATCH);
  for (const tenantId of new Set(tokens.map((token) => token.tenantId))) {
    const ofTenant = tokens.filter((token) => token.tenantId === tenantId);
    await notifyAll(
      tx,
      tenantId,
      ofTenant.map((token) =>
        messages.tokenExpiring({
          id: token.id,
          name: token.name,
          userId: token.userId,
          expiresAt: token.expiresAt,
        }),
      ),
    );
  }
  return tokens.length;
}
