import type { AccessTokenRow } from '../../models/accounts/access-token.types.js';
import type { SessionSummary, UserRow } from '../../models/accounts/account.repository.js';
import type { Principal } from '../../models/accounts/principal.types.js';
import type { AccessTokenCreate, AccessTokenOut } from './access-tokens.schemas.js';
import type { WantedToken } from './access-tokens.service.js';
import type { SessionOut, UserRead } from './accounts.schemas.js';

export const toUserRead = (user: UserRow): UserRead => ({
  id: user.id,
  email: user.email,
  is_active: user.is_active,
  is_superuser: user.is_global_admin,
  is_verified: user.is_verified,
  full_name: user.full_name,
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
  created_at: session.created_at.toISOString(),
  expires_at: session.expires_at?.toISOString() ?? null,
  ip: session.ip,
  user_agent: session.user_agent,
});

const DEFAULT_TOKEN_DAYS = 90;

export const toWantedToken = (body: AccessTokenCreate): WantedToken => ({
  kind: body.kind,
  tenantCode: body.tenant_code,
  name: body.name,
  isReadOnly: body.read_only ?? false,
  expiresInDays: body.expires_in_days ?? DEFAULT_TOKEN_DAYS,
});

export const toAccessTokenOut = (row: AccessTokenRow): AccessTokenOut => ({
  id: row.id,
  kind: row.kind,
  tenant_code: row.tenant_code,
  name: row.name,
  read_only: row.read_only,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
});
