import type { Transaction } from '../../orm/transaction.js';

/** Carries the row id of a device for which there is something to fetch. */
export const COMMANDS_CHANNEL = 'visionops_commands';

/** Wakes devices that wait for commands, whichever process holds them, once the transaction is committed. */
export async function wakeDevices(tx: Transaction, deviceIds: readonly string[]): Promise<void> {
  if (deviceIds.length === 0) return;
  await tx.execute('select pg_notify($1, id) from unnest($2::text[]) as woken (id)', [
    COMMANDS_CHANNEL,
    deviceIds,
  ]);
}
