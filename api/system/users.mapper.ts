import type { UserWithRoles } from '../../models/accounts/user-list.repository.js';
import type { SystemUserOut } from './users.schemas.js';

export const toSystemUserOut = (user: UserWithRoles): SystemUserOut => ({
  id: user.id,
  email: user.email,
  full_name: user.full_name,
  phone: user.phone,
  is_active: user.is_active,
  is_superuser: user.roles.some((held) => held.tenant_code === null),
  is_verified: user.is_verified,
  roles: user.roles.map(({ tenant_code, tenant_name, role }) => ({ tenant_code, tenant_name, role })),
  created_at: user.created_at.toISOString(),
  updated_at: user.updated_at.toISOString(),
});
