import type { Clock } from '../../core/ports/clock.js';
import type { Database } from '../../models/orm/database.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';
import { removeAttemptLimitsOver, removeEffectsBefore, removeExpiredSessions, removeTokensExpiredBefore } from '../../models/system/maintenance.repository.js';
import type { MaintenanceTask } from '../support/maintenance-task.js';

const DAY_MS = 86_400_000;
/** Workflows run for days and histories are kept for 30; nothing of ours runs longer than 60. */
const EFFECTS_KEPT_DAYS = 90;
/** So that their owners see what has ended. */
const EXPIRED_TOKENS_KEPT_DAYS = 30;

/** The housekeeping of the platform's own tables. */
export function createPlatformMaintenance(database: Database, clock: Clock): MaintenanceTask[] {
  const repeatedly = (remove: (tx: PlatformTransaction) => Promise<number>) => async (signal: AbortSignal) => {
    let total = 0;
    for (let removed = 1; removed > 0 && !signal.aborted; total += removed) removed = await database.inPlatform(remove);
    return total;
  };
  const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY_MS);
  return [
    { name: 'expired-sessions', run: repeatedly((tx) => removeExpiredSessions(tx, clock.now())) },
    { name: 'attempt-limits', run: repeatedly((tx) => removeAttemptLimitsOver(tx, clock.now())) },
    { name: 'old-activity-effects', run: repeatedly((tx) => removeEffectsBefore(tx, daysAgo(EFFECTS_KEPT_DAYS))) },
    { name: 'expired-tokens', run: repeatedly((tx) => removeTokensExpiredBefore(tx, daysAgo(EXPIRED_TOKENS_KEPT_DAYS))) },
  ];
}
