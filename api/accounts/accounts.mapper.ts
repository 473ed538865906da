import type { AccessTokenRow } from '../../models/accounts/tokens/access-token.types.js';
import type { UserRow } from '../../models/accounts/account.platform.js';
import type { SessionSummary } from '../../models/accounts/auth-session.types.js';
import type { Principal } from '../../models/accounts/principal.types.js';
import type { AccessTokenCreate, AccessTokenOut } from './access-tokens.schemas.js';
import type { WantedToken } from './access-tokens.service.platform.js';
import type { SessionOut, UserRead } from './accounts.schemas.js';

export const toUserRead = (user: UserRow): UserRead => ({
  id: user.id,
  email: user.email,
  is_active: user.isActive,
  is_superuser: user.isGlobalAdmin,
  is_verified: user.isVerified,
  full_name: user.fullName,
  phone: user.phone,
});

/** The same shape from the cached principal: no query on the warm path. */
export const principalToUserRead = (principal: Principal): UserRead => ({
  id: principal.userId,
  email: principal.email,
  is_active: principal.isActive,
  is_superuser: principal.isGlobalAdmin,
  is_verified: principal.isVerified,
  full_name: principal.fullName,
  phone: principal.phone,
});

export const toSessionOut = (session: SessionSummary, principal: Principal): SessionOut => ({
  id: session.id,
  kind: session.kind,
  is_current: session.id === principal.sessionId,
  created_at: session.createdAt.toISOString(),
  expires_at: session.expiresAt?.toISOString() ?? null,
  ip: session.ip,
  user_agent: session.userAgent,
});

export const toWantedToken = (body: AccessTokenCreate): WantedToken => ({
  kind: body.kind,
  tenantCode: body.tenant_code,
  name: body.name,
  isReadOnly: body.read_only ?? false,
  expiresInDays: body.expires_in_days,
});

export const toAccessTokenOut = (row: AccessTokenRow): AccessTokenOut => ({
  id: row.id,
  kind: row.kind,
  tenant_code: row.tenantCode,
  name: row.name,
  read_only: row.readOnly,
  created_at: row.createdAt.toISOString(),
  expires_at: row.expiresAt.toISOString(),
  last_used_at: row.lastUsedAt?.toISOString() ?? null,
});
