import { conflict, notFound } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { announceAuthChange } from './auth-change.js';
import { findAccessToken } from './access-token.repository.js';
import type { AccessTokenRow, TokenKind } from './access-token.types.js';
import { lockUser } from './account.repository.js';

const MAX_TOKENS = 200;
const DAY_MS = 86_400_000;

export interface NewAccessToken {
  readonly kind: TokenKind;
  readonly tenantId: string;
  readonly name: string;
  readonly isReadOnly: boolean;
  readonly expiresInDays: number;
  /** Keyed hash of the secret. */
  readonly tokenHash: string;
}

/** @throws AppError conflict when the person has 200 tokens already */
export async function issueAccessToken(tx: PlatformTransaction, actor: Actor, userId: string, wanted: NewAccessToken, now: Date): Promise<AccessTokenRow> {
  // Locked, so that many calls at once do not pass the limit together.
  if (!(await lockUser(tx, userId))) throw notFound('User');
  const [count] = await tx.query<{ total: number }>('select count(*) as total from access_token where user_id = $1', [userId]);
  if ((count?.total ?? 0) >= MAX_TOKENS) throw conflict(`You have ${MAX_TOKENS} tokens; revoke one first.`);
  const expiresAt = new Date(now.getTime() + wanted.expiresInDays * DAY_MS);
  const [row] = await tx.query<{ id: string }>(
    'insert into access_token (tenant_id, user_id, kind, name, token_hash, read_only, expires_at) values ($1, $2, $3, $4, $5, $6, $7) returning id',
    [wanted.tenantId, userId, wanted.kind, wanted.name, wanted.tokenHash, wanted.isReadOnly, expiresAt],
  );
  const made = (await findAccessToken(tx, row?.id ?? '')) as AccessTokenRow;
  await audit(tx, wanted.tenantId, actor, {
    action: 'user.token_create',
    target: { kind: 'access_token', id: made.id, label: wanted.name },
    detail: { kind: wanted.kind, read_only: wanted.isReadOnly, expires_at: expiresAt.toISOString() },
  });
  return made;
}

/** @throws AppError not_found for an unknown token and for somebody else's */
export async function revokeAccessToken(tx: PlatformTransaction, actor: Actor, userId: string, tokenId: string): Promise<void> {
  const [gone] = await tx.query<{ tenant_id: string; name: string; kind: TokenKind }>('delete from access_token where id = $1 and user_id = $2 returning tenant_id, name, kind', [
    tokenId,
    userId,
  ]);
  if (!gone) throw notFound('Token');
  await audit(tx, gone.tenant_id, actor, { action: 'user.token_revoke', target: { kind: 'access_token', id: tokenId, label: gone.name }, detail: { kind: gone.kind } });
  await announceAuthChange(tx, { tokenId });
}
