import type { Clock } from '../../core/ports/clock.js';
import type { Database } from '../../models/orm/database.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';
import { removeEffectsBefore, removeExpiredSessions } from '../../models/system/maintenance.repository.js';
import type { MaintenanceTask } from '../support/maintenance-task.js';

const DAY_MS = 86_400_000;
/** Workflows run for days and histories are kept for 30; nothing of ours runs longer than 60. */
const EFFECTS_KEPT_DAYS = 90;

/** The housekeeping of the platform's own tables. */
export function createPlatformMaintenance(database: Database, clock: Clock): MaintenanceTask[] {
  const repeatedly = (remove: (tx: PlatformTransaction) => Promise<number>) => async (signal: AbortSignal) => {
    let total = 0;
    for (let removed = 1; removed > 0 && !signal.aborted; total += removed) removed = await database.inPlatform(remove);
    return total;
  };
  return [
    { name: 'expired-sessions', run: repeatedly((tx) => removeExpiredSessions(tx, clock.now())) },
    { name: 'old-activity-effects', run: repeatedly((tx) => removeEffectsBefore(tx, new Date(clock.now().getTime() - EFFECTS_KEPT_DAYS * DAY_MS))) },
  ];
}
