import type { Database } from '../../orm/in-tenant.js';
import { notifyAtCommit } from '../../orm/notify.js';
import { COMMANDS_CHANNEL } from './command.commands.js';
import { type DueCommand, settleDueCommands } from './command-delivery.sql.js';

const BATCH = 500;

/** One pass over commands whose time has come; devices that wait are called for what is pending again. */
export const settleCommands = (db: Database): Promise<DueCommand[]> =>
  db.inPlatform(async (tx) => {
    const settled = await settleDueCommands(tx, BATCH);
    const again = settled.filter(({ state }) => state === 'pending').map(({ deviceId }) => deviceId);
    for (const deviceId of new Set(again)) await notifyAtCommit(tx, COMMANDS_CHANNEL, deviceId);
    return settled;
  });
