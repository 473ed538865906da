import type { Clock } from '../../core/ports/clock.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { removeExpiredInvitations } from '../../models/accounts/invitation.sql.js';
import { removeOldPlaces } from '../../models/accounts/sign-in/sign-in-history.platform.js';
import {
  removeAttemptLimitsOver,
  removeEffectsBefore,
  removeExpiredSessions,
  removeTokensExpiredBefore,
} from '../../models/system/maintenance.sql.js';
import {
  createPartitionsAhead,
  detachExpiredPartitions,
  dropEmptyPartitions,
  dropExpiredPartitions,
} from '../../models/system/time-partitions.sql.js';
import { removeTelemetryBatches } from '../../models/edge/telemetry-batches.sql.js';
import { inBatches } from '../support/in-batches.platform.js';
import type { MaintenanceTask } from '../support/maintenance-task.js';

const DAY_MS = 86_400_000;
/** Workflows run for days and histories are kept for 30; nothing of ours runs longer than 60. */
const EFFECTS_KEPT_DAYS = 90;
/** So that their owners see what has ended. */
const EXPIRED_TOKENS_KEPT_DAYS = 30;

/** The housekeeping of the platform's own tables. */
export function createPlatformMaintenance(database: Database, clock: Clock): MaintenanceTask[] {
  const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY_MS);
  return [
    inBatches(database, 'partitions-ahead', createPartitionsAhead),
    inBatches(database, 'empty-partitions', dropEmptyPartitions),
    inBatches(database, 'expired-partitions', detachExpiredPartitions),
    inBatches(database, 'detached-partitions', dropExpiredPartitions),
    inBatches(database, 'telemetry-batches', removeTelemetryBatches),
    inBatches(database, 'expired-sessions', (tx) => removeExpiredSessions(tx, clock.now())),
    inBatches(database, 'attempt-limits', (tx) => removeAttemptLimitsOver(tx, clock.now())),
    inBatches(database, 'old-sign-in-places', removeOldPlaces),
    inBatches(database, 'expired-invitations', (tx) => removeExpiredInvitations(tx, clock.now())),
    inBatches(database, 'old-activity-effects', (tx) => removeEffectsBefore(tx, daysAgo(EFFECTS_KEPT_DAYS))),
    inBatches(database, 'expired-tokens', (tx) =>
      removeTokensExpiredBefore(tx, daysAgo(EXPIRED_TOKENS_KEPT_DAYS)),
    ),
  ];
}
