import type { PlatformTransaction } from '../../orm/transaction.js';
import { messages } from '../../notifications/messages.rules.js';
import { notifyAll } from '../../notifications/notify.commands.js';
import { forgetRemovals, listRemovedDevices, removeRecordsOfDevices } from './device.sql.js';
import { claimExpiringDeviceTokens } from './token.sql.js';

const RECORDS = 5000;

/** Removes records that deleted devices left. @returns how many, at most 5,000 of each kind */
export async function removeLeftRecords(tx: PlatformTransaction): Promise<number> {
  const devices = await listRemovedDevices(tx);
  if (devices.length === 0) return 0;
  const removed = await removeRecordsOfDevices(tx, devices, RECORDS);
  if (removed === 0) await forgetRemovals(tx, devices);
  return removed;
}

/** People are told this long before the end. */
const AHEAD_MS = 14 * 86_400_000;
const TOKENS = 500;

/** Tells those who can rotate it of each token that ends within two weeks, once. @returns how many, at most 500 */
export async function tellExpiringDeviceTokens(tx: PlatformTransaction, now: Date): Promise<number> {
  const tokens = await claimExpiringDeviceTokens(tx, now, new Date(now.getTime() + AHEAD_MS), TOKENS);
  for (const tenantId of new Set(tokens.map((token) => token.tenantId)))
    await notifyAll(
      tx,
      tenantId,
      tokens
        .filter((token) => token.tenantId === tenantId)
        .map(({ deviceKey, expiresAt }) => messages.deviceTokenExpiring(deviceKey, expiresAt)),
    );
  return tokens.length;
}
