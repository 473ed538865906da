import { asTenantId } from '../../../core/security/ids.js';
import { anyOf } from '../../orm/any-of.js';
import type { AuthTransaction } from '../../orm/transaction.js';
import { retentionClassOf } from '../../tenants/retention-class.rules.js';
import { keptDaysOf } from '../policy/policy.rules.js';
import type { TenantRetention } from '../policy/policy.types.js';
import type { DeviceCaller } from './device-caller.types.js';

/**
 * Null for an unknown, a revoked and an expired token, and in a tenant that is switched off. A blocked device is found.
 * @param hashes of the token, one for each server key
 */
export async function findDeviceCaller(
  tx: AuthTransaction,
  hashes: readonly string[],
  now: Date,
): Promise<DeviceCaller | null> {
  const row = await tx.kysely
    .selectFrom('edge_token as k')
    .innerJoin('edge_device as d', (join) =>
      join.onRef('d.tenantId', '=', 'k.tenantId').onRef('d.id', '=', 'k.deviceId'),
    )
    .innerJoin('tenant as t', 't.id', 'k.tenantId')
    .select(['d.id as deviceId', 't.id as tenantId', 't.code as tenantCode', 'd.key', 'd.number'])
    .select([
      'd.isBlocked',
      'd.registeredAt',
      'k.scopes',
      'k.expiresAt',
      'd.retention',
      't.retention as tenantRetention',
    ])
    .where('k.tokenHash', '=', anyOf(hashes))
    .where('k.revokedAt', 'is', null)
    .where('k.expiresAt', '>', now)
    .where('t.isActive', '=', true)
    .executeTakeFirst();
  if (!row) return null;
  const { tenantId, retention, tenantRetention, registeredAt, ...caller } = row;
  const ofTenant = tenantRetention as TenantRetention;
  return {
    ...caller,
    tenantId: asTenantId(tenantId),
    isRegistered: registeredAt !== null,
    keptDays: {
      telemetry: retentionClassOf(keptDaysOf('telemetry', retention, ofTenant)),
      inference: retentionClassOf(keptDaysOf('inference', retention, ofTenant)),
      logs: retentionClassOf(typeof ofTenant.logs === 'number' ? ofTenant.logs : null),
    },
  };
}
