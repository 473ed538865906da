import type { EmailText, PasswordText } from '../accounts/accounts.schemas.js';
import type { TenantCodeText } from '../http/routing/parameters.js';

export type RoleName = 'ADMIN' | 'ML_ENGINEER' | 'DATA_ENGINEER' | 'APPROVER' | 'OPERATOR' | 'VIEWER';

/** A role of a person. Both tenant fields are null for a global administrator, whose role is ADMIN everywhere. */
export interface UserRoleOut {
  tenant_code: string | null;
  tenant_name: string | null;
  role: string;
}

/** An account with its roles in all tenants. */
export interface SystemUserOut {
  id: string;
  email: string;
  full_name: string | null;
  phone: string | null;
  is_active: boolean;
  /** Mirrors the global-administrator membership. */
  is_superuser: boolean;
  is_verified: boolean;
  roles: UserRoleOut[];
  created_at: string;
  updated_at: string;
}

export interface SystemUserPage {
  items: SystemUserOut[];
  total: number;
  page: number;
  page_size: number;
}

/** Grants a role to an account that exists. */
export interface InviteBody {
  email: EmailText;
  tenant_code: TenantCodeText;
  role: RoleName;
}

/** An address that may register; the role is given once the address is verified. */
export interface InvitationOut {
  email: string;
  tenant_code: string;
  role: string;
  expires_at: string;
}

/** Creates an account with its first role. */
export interface CreateUserBody {
  email: EmailText;
  password: PasswordText;
  tenant_code: TenantCodeText;
  role: RoleName;
}

export interface RoleAssign {
  tenant_code: TenantCodeText;
  role: RoleName;
}
