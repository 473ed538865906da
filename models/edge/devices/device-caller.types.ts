import type { TenantId } from '../../../core/security/ids.js';
import type { RetentionClass } from '../../tenants/retention-class.rules.js';
import type { DeviceScope } from './device-scopes.rules.js';

/** Who calls with a device's token, with what is needed to store what it sends. */
export interface DeviceCaller {
  readonly deviceId: string;
  readonly tenantId: TenantId;
  readonly tenantCode: string;
  /** The id people use. */
  readonly key: string;
  /** What its records refer to. */
  readonly number: number;
  readonly isBlocked: boolean;
  /** Null: never. */
  readonly registeredAt: Date | null;
  /** Revision of the policy that it is to follow. */
  readonly policyRevision: number;
  readonly scopes: readonly DeviceScope[];
  readonly expiresAt: Date;
  /** Classes in which its records are stored. */
  readonly keptDays: { readonly [kind in 'telemetry' | 'inference' | 'logs']: RetentionClass };
}
