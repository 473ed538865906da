import type { Clock } from '../../core/ports/clock.js';
import { notifyExpiringTokens } from '../../models/accounts/tokens/access-token.platform.js';
import {
  removeExcessNotifications,
  removeOldNotifications,
} from '../../models/notifications/notification-retention.sql.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { inBatches } from '../support/in-batches.platform.js';
import type { MaintenanceTask } from '../support/maintenance-task.js';

/** What is done hourly about notifications: those that are over go, owners of tokens are notified in time. */
export const createNotificationHousekeeping = (database: Database, clock: Clock): MaintenanceTask[] => [
  inBatches(database, 'expiring-tokens', (tx) => notifyExpiringTokens(tx, clock.now())),
  inBatches(database, 'old-notifications', (tx) => removeOldNotifications(tx, clock.now())),
  inBatches(database, 'excess-notifications', removeExcessNotifications),
];
