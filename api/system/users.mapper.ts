import type { UserWithRoles } from '../../models/accounts/user-list.platform.js';
import type { InvitedAddress } from '../../models/accounts/invitation.platform.js';
import type { InvitationOut, SystemUserOut } from './users.schemas.js';

export const toSystemUserOut = (user: UserWithRoles): SystemUserOut => ({
  id: user.id,
  email: user.email,
  full_name: user.fullName,
  phone: user.phone,
  is_active: user.isActive,
  is_superuser: user.roles.some((held) => held.tenantCode === null),
  is_verified: user.isVerified,
  roles: user.roles.map(({ tenantCode, tenantName, role }) => ({
    tenant_code: tenantCode,
    tenant_name: tenantName,
    role,
  })),
  created_at: user.createdAt.toISOString(),
  updated_at: user.updatedAt.toISOString(),
});

export const toInvitationOut = (invited: InvitedAddress): InvitationOut => ({
  email: invited.email,
  tenant_code: invited.tenantCode,
  role: invited.role,
  expires_at: invited.expiresAt.toISOString(),
});
