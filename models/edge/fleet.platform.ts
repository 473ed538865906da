import { asTenantId } from '../../core/security/ids.js';
import { messages } from '../notifications/messages.rules.js';
import { notifyAll } from '../notifications/notify.commands.js';
import { anyOf } from '../orm/any-of.js';
import type { Database } from '../orm/in-tenant.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { retentionClassOf } from '../tenants/retention-class.rules.js';
import { wakeDevices } from './commands/wake-devices.sql.js';
import {
  claimCommands,
  type DueCommand,
  releaseCommands,
  settleDueCommands,
} from './commands/command-delivery.sql.js';
import type { DeliveredCommand } from './commands/command.types.js';
import type { DeviceCaller } from './devices/device-caller.types.js';
import { forgetRemovals, removeRecordsOfDevices } from './devices/device.sql.js';
import type { NewToken } from './devices/token.commands.js';
import { claimExpiringDeviceTokens, replaceTokenHash } from './devices/token.sql.js';
import { keptDaysOf } from './policy/policy.rules.js';
import type { TenantRetention } from './policy/policy.types.js';

/*
 * What is done for devices of all tenants at once: who calls is not known before its token was read, and one statement serves
 * all devices that wait.
 */

export interface FoundDevice {
  readonly caller: DeviceCaller;
  /** Under which its token is stored. */
  readonly tokenHash: string;
}

/**
 * Nobody for an unknown, a revoked and an expired token, and in a tenant that is switched off. A blocked device is found.
 * @param hashes of tokens, of each one for each server key
 */
export async function findDeviceCallers(
  db: Database,
  hashes: readonly string[],
  now: Date,
): Promise<FoundDevice[]> {
  const rows = await db.inAuth((tx) =>
    tx.kysely
      .selectFrom('edge_token as k')
      .innerJoin('edge_device as d', (join) =>
        join.onRef('d.tenantId', '=', 'k.tenantId').onRef('d.id', '=', 'k.deviceId'),
      )
      .innerJoin('tenant as t', 't.id', 'k.tenantId')
      .select(['d.id as deviceId', 't.id as tenantId', 't.code as tenantCode', 'd.key', 'd.number'])
      .select(['d.isBlocked', 'd.registeredAt', 'd.retention', 'd.policyRevision'])
      .select(['k.scopes', 'k.expiresAt'])
      .select('k.tokenHash')
      .select('t.retention as tenantRetention')
      .where('k.tokenHash', '=', anyOf(hashes))
      .where('k.revokedAt', 'is', null)
      .where('k.expiresAt', '>', now)
      .where('t.isActive', '=', true)
      .execute(),
  );
  return rows.map(({ tenantId, retention, tenantRetention, tokenHash, ...known }) => {
    const ofTenant = tenantRetention as TenantRetention;
    const caller = {
      ...known,
      tenantId: asTenantId(tenantId),
      keptDays: {
        telemetry: retentionClassOf(keptDaysOf('telemetry', retention, ofTenant)),
        inference: retentionClassOf(keptDaysOf('inference', retention, ofTenant)),
        logs: retentionClassOf(typeof ofTenant.logs === 'number' ? ofTenant.logs : null),
      },
    };
    return { caller, tokenHash };
  });
}

/** Stores a token by the newest server key, so that older ones can be given up. One that was rotated meanwhile stays as it is. */
export async function renewTokenHash(db: Database, from: string, to: NewToken): Promise<void> {
  await db.inPlatform((tx) => replaceTokenHash(tx, from, to));
}

/** Living tokens that are stored by another key than this one: those devices have not called since it is the newest. */
export async function countTokensOfOlderKeys(db: Database, newestId: string, now: Date): Promise<number> {
  const { n } = await db.inPlatform((tx) =>
    tx.kysely
      .selectFrom('edge_token')
      .where('keyId', '<>', newestId)
      .where('revokedAt', 'is', null)
      .where('expiresAt', '>', now)
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow(),
  );
  return n;
}

/** Delivers to all of these devices the commands that wait for them. Devices wait for it, so it is one statement by itself. */
export const deliverCommands = (db: Database, deviceIds: readonly string[]): Promise<DeliveredCommand[]> =>
  claimCommands({ rows: (sql, params = []) => db.inPlatformOnce(sql, params) }, deviceIds);

/** Commands that were delivered and reached nobody go to the next poll. */
export async function returnCommands(db: Database, commands: readonly DeliveredCommand[]): Promise<void> {
  if (commands.length > 0) await db.inPlatform((tx) => releaseCommands(tx, commands));
}

const COMMANDS = 500;

/** One pass over commands whose time has come; devices that wait are called for what is pending again. */
export const settleCommands = (db: Database): Promise<DueCommand[]> =>
  db.inPlatform(async (tx) => {
    const settled = await settleDueCommands(tx, COMMANDS);
    const again = settled.filter(({ state }) => state === 'pending');
    await wakeDevices(
      tx,
      again.map(({ deviceId }) => deviceId),
    );
    return settled;
  });

const RECORDS = 5000;

/** Removes a batch of what a deleted device sent. @returns how many records; 0: none is left */
export const removeRecordsOf = (db: Database, device: number): Promise<number> =>
  db.inPlatform((tx) => removeRecordsOfDevices(tx, [device], RECORDS));

/** Removes records that deleted devices left. @returns how many, at most 5,000 of each kind */
export async function removeLeftRecords(tx: PlatformTransaction): Promise<number> {
  const oldest = tx.kysely
    .selectFrom('edge_device_removal')
    .select('device')
    .orderBy('removedAt')
    .limit(1000);
  const devices = (await oldest.execute()).map(({ device }) => device);
  if (devices.length === 0) return 0;
  const removed = await removeRecordsOfDevices(tx, devices, RECORDS);
  if (removed === 0) await forgetRemovals(tx, devices);
  return removed;
}

/** People are notified this long before the end. */
const AHEAD_MS = 14 * 86_400_000;
const TOKENS = 500;

/** Notifies those who can rotate it of each token that ends within two weeks, once. @returns how many, at most 500 */
export async function announceExpiringDeviceTokens(tx: PlatformTransaction, now: Date): Promise<number> {
  const tokens = await claimExpiringDeviceTokens(tx, now, new Date(now.getTime() + AHEAD_MS), TOKENS);
  for (const [tenantId, ofTenant] of Map.groupBy(tokens, (token) => token.tenantId))
    await notifyAll(
      tx,
      tenantId,
      ofTenant.map(({ deviceKey, expiresAt }) => messages.deviceTokenExpiring(deviceKey, expiresAt)),
    );
  return tokens.length;
}
