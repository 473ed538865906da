import { type AttemptDeps, createAttemptActivities } from './attempt.activities.js';
import { createJobActivities, type JobDeps } from './job.activities.js';
import { createOutcomeActivities, type OutcomeDeps } from './outcome.activities.js';
import { createPublishActivities, type PublishDeps } from './publish.activities.js';
import type { TrainingActivities } from './training.activities.js';

export const createTrainingActivities = (
  deps: AttemptDeps & JobDeps & OutcomeDeps & PublishDeps,
): TrainingActivities => ({
  ...createAttemptActivities(deps),
  ...createJobActivities(deps),
  ...createOutcomeActivities(deps),
  ...createPublishActivities(deps),
});
