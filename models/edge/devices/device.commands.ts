import { conflict } from '../../../core/errors/app-error.js';
import type { StreamEvent } from '../../../core/events/stream-event.js';
import { requireLine } from '../../../core/text/line-text.js';
import { announceAuthChange } from '../../access/auth-change.js';
import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { EdgeSnapshot } from '../heartbeats/edge-snapshot.entity.js';
import { alignInstalled, type SaidModel } from '../installed/installed-model.commands.js';
import { EdgeDevice } from './edge-device.entity.js';
import { EdgeDeviceRemoval } from './edge-device-removal.entity.js';
import { type DeviceRow, findDevice, requireDevice } from './device.queries.js';
import type { DeviceScope } from './device-scopes.rules.js';
import type { DeviceFollower, InstalledFollower } from './device-follower.js';
import { deviceTarget, lockDevice } from './device-lock.commands.js';
import { addToken, type NewToken } from './token.commands.js';

export interface NewDevice {
  readonly key: string;
  readonly location: string | null;
  readonly os: string | null;
  readonly sdkVersion: string | null;
  readonly scopes: readonly DeviceScope[];
}

/** @throws AppError conflict for an id that is taken */
export async function createDevice(
  tx: TenantTransaction,
  actor: Actor,
  wanted: NewDevice,
  token: NewToken,
  now: Date,
): Promise<DeviceRow> {
  const { key, location, os, sdkVersion, scopes } = wanted;
  requireLine(location, 'location');
  requireLine(os, 'os');
  requireLine(sdkVersion, 'sdk_version');
  const taken = () => conflict(`A device with the id ${key} exists; token:rotate gives it a new token.`);
  if (await findDevice(tx, key)) throw taken();
  const { tenantId } = tx;
  const device = tx.em.create(EdgeDevice, { tenantId, key, location, os, sdkVersion, createdBy: actor.id });
  await tx.em.flush().catch((error: unknown) => {
    throw isTaken(error) ? taken() : error;
  });
  tx.em.create(EdgeSnapshot, { device: device.number, tenantId });
  addToken(tx, actor, device.id, scopes, token, now);
  await tx.em.flush();
  await audit(tx, tenantId, actor, {
    action: 'device.create',
    target: deviceTarget(device),
    detail: { location, scopes },
  });
  return requireDevice(tx, key);
}

/** Somebody took the id at the same moment. */
const isTaken = (error: unknown): boolean => (error as { code?: unknown }).code === '23505';

/** @param location null takes it away */
export async function relocateDevice(
  tx: TenantTransaction,
  actor: Actor,
  key: string,
  location: string | null,
): Promise<DeviceRow> {
  requireLine(location, 'location');
  const device = await lockDevice(tx, key);
  const before = device.location ?? null;
  Object.assign(device, { location, updatedAt: new Date() });
  await tx.em.flush();
  await audit(tx, tx.tenantId, actor, {
    action: 'device.update',
    target: deviceTarget(device),
    detail: { location, before },
  });
  return requireDevice(tx, key);
}

/** Every call with the token of a blocked device is answered with 503, from this commit on. */
export async function blockDevice(
  tx: TenantTransaction,
  actor: Actor,
  key: string,
  isBlocked: boolean,
): Promise<DeviceRow> {
  const device = await lockDevice(tx, key);
  Object.assign(device, { isBlocked, updatedAt: new Date() });
  await tx.em.flush();
  await announceAuthChange(tx, { deviceId: device.id });
  await audit(tx, tx.tenantId, actor, {
    action: isBlocked ? 'device.block' : 'device.unblock',
    target: deviceTarget(device),
  });
  return requireDevice(tx, key);
}

/**
 * Its token, commands and snapshot go with it. Records that it sent belong to nobody from now on and are removed afterwards.
 * @returns the number that its records refer to
 */
export async function deleteDevice(
  tx: TenantTransaction,
  actor: Actor,
  key: string,
  follow: DeviceFollower,
): Promise<number> {
  const device = await lockDevice(tx, key);
  await follow(tx, device.id);
  tx.em.create(EdgeDeviceRemoval, { device: device.number, tenantId: tx.tenantId });
  await tx.em.remove(device).flush();
  await announceAuthChange(tx, { deviceId: device.id });
  await audit(tx, tx.tenantId, actor, { action: 'device.delete', target: deviceTarget(device) });
  return device.number;
}

export interface Registration {
  readonly os?: string | null;
  readonly sdkVersion?: string | null;
  readonly location?: string | null;
  /** All that it has installed. */
  readonly models?: readonly SaidModel[] | null;
}

/**
 * The device says that it is there, what it is and has; what it leaves out stays. Writes an audit entry where that is new.
 * @throws AppError not_found
 */
export async function registerDevice(
  tx: TenantTransaction,
  actor: Actor,
  key: string,
  said: Registration,
  now: Date,
  follow: InstalledFollower,
): Promise<{ readonly device: DeviceRow; readonly news: readonly StreamEvent[] }> {
  requireLine(said.location, 'location');
  requireLine(said.os, 'os');
  requireLine(said.sdkVersion, 'sdk_version');
  const device = await lockDevice(tx, key);
  const facts = Object.fromEntries(
    Object.entries({ os: said.os, sdkVersion: said.sdkVersion, location: said.location }).filter(
      ([name, value]) => value !== undefined && value !== null && value !== device[name as keyof EdgeDevice],
    ),
  );
  const models = said.models ? await alignInstalled(tx, device.id, said.models, now) : [];
  const news = models.length > 0 ? await follow(tx, device.id, models) : [];
  const isFirst = device.registeredAt === null;
  const isNew = isFirst || Object.keys(facts).length > 0 || models.length > 0;
  Object.assign(device, facts, { registeredAt: now, updatedAt: isNew ? now : device.updatedAt });
  await tx.em.flush();
  if (isFirst) await announceAuthChange(tx, { deviceId: device.id });
  if (isNew)
    await audit(tx, tx.tenantId, actor, {
      action: 'device.register',
      target: deviceTarget(device),
      detail: models.length > 0 ? { ...facts, models } : facts,
    });
  return { device: await requireDevice(tx, key), news };
}
