import {
  createMaintenanceActivities,
  type MaintenanceActivities,
} from '../../../activities/system/maintenance.activities.js';
import type { MaintenanceTask } from '../../../activities/support/maintenance-task.js';
import { conflict } from '../../../core/errors/app-error.js';
import { MAINTENANCE_WORKFLOW } from '../../../workflows/system/maintenance.contract.js';
import { cancelDuring, type Scenario } from '../support/scenario.js';

const removes = (name: string, count: number): MaintenanceTask => ({ name, run: async () => count });
const untilAborted = (signal: AbortSignal): Promise<number> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
const of =
  (...tasks: MaintenanceTask[]) =>
  (): MaintenanceActivities =>
    createMaintenanceActivities(tasks);

export const MAINTENANCE_SCENARIOS: readonly Scenario[] = [
  {
    type: MAINTENANCE_WORKFLOW,
    name: 'success',
    args: [],
    activities: of(removes('expired-sessions', 3), removes('old-activity-effects', 0)),
    ends: { result: { removed: { 'expired-sessions': 3, 'old-activity-effects': 0 } } },
  },
  {
    type: MAINTENANCE_WORKFLOW,
    name: 'failure',
    args: [],
    activities: of(
      { name: 'broken', run: () => Promise.reject(conflict('This cannot be removed.')) },
      removes('expired-sessions', 2),
    ),
    ends: { failureType: 'maintenance_failed' },
  },
  {
    type: MAINTENANCE_WORKFLOW,
    name: 'cancel',
    args: [],
    activities: of(removes('expired-sessions', 1), { name: 'endless', run: untilAborted }),
    meanwhile: cancelDuring('runMaintenanceTask'),
    ends: 'cancelled',
  },
];
