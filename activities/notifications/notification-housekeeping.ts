import type { Clock } from '../../core/ports/clock.js';
import { tellExpiringTokens } from '../../models/notifications/expiring-tokens.commands.js';
import { removeExcessNotifications, removeOldNotifications } from '../../models/notifications/notification-retention.repository.js';
import type { Database } from '../../models/orm/database.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';
import type { MaintenanceTask } from '../support/maintenance-task.js';

/** What is done hourly about notifications: those that are over go, owners of tokens are told in time. */
export function createNotificationHousekeeping(database: Database, clock: Clock): MaintenanceTask[] {
  const repeatedly = (work: (tx: PlatformTransaction) => Promise<number>) => async (signal: AbortSignal) => {
    let total = 0;
    for (let done = 1; done > 0 && !signal.aborted; total += done) done = await database.inPlatform(work);
    return total;
  };
  return [
    { name: 'expiring-tokens', run: repeatedly((tx) => tellExpiringTokens(tx, clock.now())) },
    { name: 'old-notifications', run: repeatedly((tx) => removeOldNotifications(tx, clock.now())) },
    { name: 'excess-notifications', run: repeatedly(removeExcessNotifications) },
  ];
}
