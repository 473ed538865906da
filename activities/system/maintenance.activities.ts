import { withHeartbeat } from '../support/activity-context.js';
import { notFound } from '../../core/errors/app-error.js';
import type { MaintenanceTask } from '../support/maintenance-task.js';

export interface MaintenanceActivities {
  /** Names of all tasks, in the order they run. */
  listMaintenanceTasks(): Promise<string[]>;
  /** Runs one task. Idempotent. */
  runMaintenanceTask(name: string): Promise<number>;
}

export function createMaintenanceActivities(tasks: readonly MaintenanceTask[]): MaintenanceActivities {
  return {
    listMaintenanceTasks: async () => tasks.map((task) => task.name),
    runMaintenanceTask: async (name) => {
      const task = tasks.find((candidate) => candidate.name === name);
      // A worker of another version may have listed it.
      if (!task) throw notFound(`Maintenance task ${name}`);
      return withHeartbeat(({ signal }) => task.run(signal));
    },
  };
}
