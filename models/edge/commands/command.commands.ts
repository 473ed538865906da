import { LockMode } from '@mikro-orm/postgresql';
import { conflict, notFound } from '../../../core/errors/app-error.js';
import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { deviceTarget, keepDevice, lockDevice } from '../devices/device-lock.commands.js';
import type { EdgeDevice } from '../devices/edge-device.entity.js';
import { wakeDevices } from './wake-devices.sql.js';
import { databaseTime } from './command-delivery.sql.js';
import { assertAcknowledgeable, LEASE_S } from './command.rules.js';
import {
  type CommandRow,
  countOpenCommands,
  findCommand,
  holdPending,
  stateOfHeld,
} from './command.queries.js';
import type { AckStatus } from './command.types.js';
import { EdgeCommand } from './edge-command.entity.js';

const MAX_OPEN = 1000;
const RESTART = 'restart';

export interface NewCommand {
  readonly type: string;
  readonly args: Record<string, unknown>;
  /** Null: never. */
  readonly expiresInS: number | null;
}

/** The device fetches it on its next poll, or at once where one is open. @throws AppError not_found, conflict with 1,000 open */
export async function createCommand(
  tx: TenantTransaction,
  actor: Actor,
  deviceKey: string,
  { type, args, expiresInS }: NewCommand,
): Promise<CommandRow> {
  const device = await lockDevice(tx, deviceKey);
  if ((await countOpenCommands(tx, device.id)) >= MAX_OPEN)
    throw conflict(`The device has ${MAX_OPEN} commands waiting; wait until it has fetched them.`);
  const now = await databaseTime(tx);
  const command = tx.em.create(EdgeCommand, {
    ...{ tenantId: tx.tenantId, deviceId: device.id, type, args, createdBy: actor.id },
    expiresAt: expiresInS === null ? null : new Date(now.getTime() + expiresInS * 1000),
  });
  return asked(tx, actor, device, command);
}

/** The device learns of it, and the audit trail by whom. */
async function asked(
  tx: TenantTransaction,
  actor: Actor,
  device: EdgeDevice,
  command: EdgeCommand,
): Promise<CommandRow> {
  // The database gives a new one its id.
  await tx.em.flush();
  const { id, type } = command;
  await wakeDevices(tx, [device.id]);
  await audit(tx, tx.tenantId, actor, {
    action: 'device.command',
    target: deviceTarget(device),
    detail: { command_id: id, type },
  });
  return findCommand(tx, id);
}

/** A restart that a device does not fetch within this time is not wanted any more. */
const RESTART_S = 3600;

/**
 * One that waits for the device already is answered, with the time that a new one would have: it restarts once.
 * @throws AppError as `createCommand`
 */
export async function askForRestart(
  tx: TenantTransaction,
  actor: Actor,
  deviceKey: string,
): Promise<CommandRow> {
  const device = await lockDevice(tx, deviceKey);
  const id = await holdPending(tx, device.id, RESTART);
  if (id === null)
    return createCommand(tx, actor, deviceKey, { type: RESTART, args: {}, expiresInS: RESTART_S });
  const waiting = await tx.em.findOneOrFail(EdgeCommand, { id });
  const now = await databaseTime(tx);
  Object.assign(waiting, { expiresAt: new Date(now.getTime() + RESTART_S * 1000), updatedAt: now });
  return asked(tx, actor, device, waiting);
}

/**
 * What the device says of a command that it got. `running` renews the lease and is not final. A second final word changes
 * nothing: the first one is answered.
 * @param deviceId row id
 * @throws AppError not_found, also for a command of another device and a device that was removed; conflict for one that has expired
 */
export async function acknowledgeCommand(
  tx: TenantTransaction,
  deviceId: string,
  id: string,
  status: AckStatus,
  result: Record<string, unknown> | null,
): Promise<{ readonly command: CommandRow; readonly isNews: boolean }> {
  // What it says may refer to the device: whoever removes that meanwhile holds it, and waits for the command.
  await keepDevice(tx, deviceId);
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const command = await tx.em.findOne(EdgeCommand, { id, deviceId }, { lockMode });
  if (!command) throw notFound('Command');
  const { state, now } = await stateOfHeld(tx, id);
  if (state === 'succeeded' || state === 'failed')
    return { command: await findCommand(tx, id), isNews: false };
  assertAcknowledgeable(state, command.deliveries);
  if (status === 'running')
    Object.assign(command, {
      state: 'delivered',
      // A word without a report takes none back, and is one all the same.
      progress: result ?? command.progress ?? {},
      leaseUntil: new Date(now.getTime() + LEASE_S * 1000),
    });
  else Object.assign(command, { state: status, result, finishedAt: now, leaseUntil: null });
  command.updatedAt = now;
  await tx.em.flush();
  return { command: await findCommand(tx, id), isNews: true };
}
