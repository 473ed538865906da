import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import { announceAuthChange } from '../../access/auth-change.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { deviceTarget, lockDevice } from '../devices/device-lock.commands.js';
import { type DeviceRow, requireDevice } from '../devices/device.queries.js';
import type { PolicyOverrides } from './policy.types.js';

/** Absent: unchanged. Null takes the value back to the default; of retention and sync, each field likewise. */
export type PolicyChanges = {
  readonly [field in keyof PolicyOverrides]?: PolicyOverrides[field] | null;
};

/** An override that nobody sets any more leaves nothing behind. */
const merged = <T extends object>(before: T, changes: T | null): T =>
  Object.fromEntries(
    Object.entries(changes === null ? {} : { ...before, ...changes }).filter(([, value]) => value !== null),
  ) as T;

/** Every change makes a new revision, by which the device sees that it has to read it. @throws AppError not_found */
export async function updatePolicy(
  tx: TenantTransaction,
  actor: Actor,
  key: string,
  changes: PolicyChanges,
): Promise<DeviceRow> {
  const device = await lockDevice(tx, key);
  const { heartbeatIntervalS, commandsPollS, retention, sync } = changes;
  if (heartbeatIntervalS !== undefined) device.heartbeatIntervalS = heartbeatIntervalS;
  if (commandsPollS !== undefined) device.commandsPollS = commandsPollS;
  if (retention !== undefined) device.retention = merged(device.retention, retention);
  if (sync !== undefined) device.sync = merged(device.sync, sync);
  device.policyRevision += 1;
  device.updatedAt = new Date();
  await tx.em.flush();
  // The revision, and the class in which its records are stored, go with what is known of its token.
  await announceAuthChange(tx, { deviceId: device.id });
  await audit(tx, tx.tenantId, actor, {
    action: 'device.policy',
    target: deviceTarget(device),
    detail: { revision: device.policyRevision, fields: Object.keys(changes) },
  });
  return requireDevice(tx, key);
}
