import { conflict } from '../../../core/errors/app-error.js';
import type { LockedRun, RunUser } from './run-use.types.js';

const MAX_NAMED = 5;
const more = (all: readonly unknown[]): string => (all.length > MAX_NAMED ? ' and more' : '');

/** @throws AppError conflict with `detail.active` */
export function assertEnded(runs: readonly LockedRun[]): void {
  const active = runs.filter(({ isActive }) => isActive).map(({ runId }) => runId);
  if (active.length === 0) return;
  throw conflict(
    `Still active: ${active.slice(0, MAX_NAMED).join(', ')}${more(active)}. Terminate that first.`,
    { active: active.slice(0, 20), active_total: active.length },
  );
}

/** @throws AppError conflict with `detail.trainings` */
export function assertNotResumed(
  trainings: ReadonlyArray<{ readonly runId: string; readonly training: string }>,
): void {
  const [first] = trainings;
  if (!first) return;
  throw conflict(
    `The training ${first.training} goes on from a checkpoint of the run ${first.runId}. Cancel it or wait for its end.`,
    { trainings: trainings.map(({ runId, training }) => ({ run_id: runId, training_id: training })) },
  );
}

/** @throws AppError conflict with `detail.users` */
export function assertFree(users: readonly RunUser[]): void {
  if (users.length === 0) return;
  const named = users.map(({ modelName, version }) => `${modelName} version ${version}`);
  throw conflict(`Used by ${named.slice(0, MAX_NAMED).join(', ')}${more(named)}. Delete that first.`, {
    users: users.map(({ runId, modelName, version }) => ({ run_id: runId, model_name: modelName, version })),
  });
}
