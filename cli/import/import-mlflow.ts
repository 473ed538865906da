import type { Progress } from '../terminal/progress.js';
import { copyExperiments, createRuns } from './copy-experiments.js';
import { copyLoggedModels } from './copy-logged-models.js';
import { copyRegistry } from './copy-registry.js';
import { copyRuns } from './copy-runs.js';
import { type ImportJob, newJob } from './import-job.js';
import type { TrackerServer } from './tracker-server.js';

/**
 * Copies what is active on another server: what was copied before is known by its tags and only completed. One import
 * into a tenant at a time.
 */
export async function importMlflow(
  from: TrackerServer,
  to: TrackerServer,
  progress: Progress,
): Promise<ImportJob> {
  const job = newJob(from, to);
  const { counts } = job;
  await progress.step('experiments', async (report) => {
    await copyExperiments(job);
    report(1, `${counts.experiments}`);
  });
  await progress.step('runs, without their contents', async (report) => {
    await createRuns(job);
    report(1, `${job.runs.size}`);
  });
  await progress.step('logged models', async (report) => {
    await copyLoggedModels(job);
    report(1, `${counts.loggedModels}`);
  });
  await progress.step('metrics, params, tags and artifacts', async (report) =>
    copyRuns(job, (done) => report(done / job.runs.size, `${done} of ${job.runs.size} runs`)),
  );
  await progress.step('registered models', async (report) => {
    await copyRegistry(job);
    report(1, `${counts.models} with ${counts.versions} versions`);
  });
  return job;
}
