import type { TenantId, UserId } from '../../core/security/ids.js';
import type { Role } from '../access/permission.rules.js';

export interface TenantAccess {
  readonly tenantId: TenantId;
  readonly code: string;
  readonly name: string;
  readonly role: Role;
}

/** A signed-in person as the request sees it; cached per session and dropped on every change of the account. */
export interface Principal {
  readonly userId: UserId;
  readonly sessionId: string;
  readonly sessionKind: 'cookie' | 'jwt';
  readonly email: string;
  readonly fullName: string | null;
  readonly phone: string | null;
  readonly isActive: boolean;
  readonly isVerified: boolean;
  readonly isGlobalAdmin: boolean;
  /** Null: never expires. */
  readonly expiresAt: Date | null;
  /** Active tenants with a membership, by code. A global administrator may enter every other active tenant too. */
  readonly tenants: ReadonlyMap<string, TenantAccess>;
  /** Tenants with a membership, also those that are switched off: what is known of the person depends on each. */
  readonly memberOf: readonly string[];
}
