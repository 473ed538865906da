import { conflict, notFound } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import type { AuthTransaction } from '../orm/transaction.js';
import { announceAuthChange } from '../access/auth-change.js';
import { AccessToken } from './access-token.entity.js';
import { findAccessToken } from './access-token.platform.js';
import type { AccessTokenRow, TokenKind } from './access-token.types.js';
import { lockUser } from './account.platform.js';

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
