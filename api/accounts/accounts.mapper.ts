import type { SessionSummary, UserRow } from '../../models/accounts/account.repository.js';
import type { Principal } from '../../models/accounts/principal.types.js';
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
