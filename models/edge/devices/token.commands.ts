import { announceAuthChange } from '../../access/auth-change.js';
import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { deviceTarget, lockDevice } from './device-lock.commands.js';
import type { DeviceScope } from './device-scopes.rules.js';
import { EdgeToken } from './edge-token.entity.js';

/** What is stored of a token. */
export interface NewToken {
  readonly tokenHash: string;
  readonly keyId: string;
}

const LIFETIME_MS = 365 * 86_400_000;

const expiryFrom = (now: Date): Date => new Date(now.getTime() + LIFETIME_MS);

/** The first token of a new device. */
export function addToken(
  tx: TenantTransaction,
  actor: Actor,
  deviceId: string,
  scopes: readonly DeviceScope[],
  token: NewToken,
  now: Date,
): void {
  tx.em.create(EdgeToken, {
    ...{ tenantId: tx.tenantId, deviceId, tokenHash: token.tokenHash, keyId: token.keyId },
    ...{ scopes: [...scopes], expiresAt: expiryFrom(now), createdBy: actor.id },
  });
}

/** Rotations at the same time all succeed, one after the other; the token of the last one lives. @throws AppError not_found */
export function rotateToken(
  tx: TenantTransaction,
  actor: Actor,
  key: string,
  { tokenHash, keyId }: NewToken,
  now: Date,
): Promise<EdgeToken> {
  return changeToken(tx, actor, key, 'device.token_rotate', {
    ...{ tokenHash, keyId, expiresAt: expiryFrom(now), createdBy: actor.id },
    ...{ revokedAt: null, expiryToldAt: null },
  });
}

/** The scopes stay, for the token that a rotation makes. */
export const revokeToken = (
  tx: TenantTransaction,
  actor: Actor,
  key: string,
  now: Date,
): Promise<EdgeToken> => changeToken(tx, actor, key, 'device.token_revoke', { revokedAt: now });

export const changeScopes = (
  tx: TenantTransaction,
  actor: Actor,
  key: string,
  scopes: readonly DeviceScope[],
): Promise<EdgeToken> => changeToken(tx, actor, key, 'device.token_scopes', { scopes: [...scopes] });

async function changeToken(
  tx: TenantTransaction,
  actor: Actor,
  key: string,
  action: string,
  to: Partial<EdgeToken>,
): Promise<EdgeToken> {
  const device = await lockDevice(tx, key);
  const token = await tx.em.findOneOrFail(EdgeToken, { deviceId: device.id }, { refresh: true });
  Object.assign(token, to, { updatedAt: new Date() });
  await tx.em.flush();
  await announceAuthChange(tx, { deviceId: device.id });
  const { scopes, expiresAt } = token;
  await audit(tx, tx.tenantId, actor, {
    action,
    target: deviceTarget(device),
    detail: { scopes, expires_at: expiresAt.toISOString() },
  });
  return token;
}
