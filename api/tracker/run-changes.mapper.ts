import type { VersionOfRun } from '../../models/registry/version.queries.js';
import type { RunComparison } from '../../models/tracker/compare-runs.rules.js';
import type { TrackerExperiment } from '../../models/tracker/tracker-experiment.entity.js';
import type { RunCompareOut, TrackerExperimentOut } from './run-changes.schemas.js';
import { finite, toRunOut } from './runs.mapper.js';

export const toRunCompareOut = (
  { runs, params, metrics, tags }: RunComparison,
  versions: readonly VersionOfRun[],
): RunCompareOut => ({
  runs: runs.map((run) =>
    toRunOut(
      run,
      versions.filter(({ runId }) => runId === run.runId),
    ),
  ),
  params: params.map((row) => ({ ...row, values: [...row.values] })),
  metrics: metrics.map((row) => ({
    ...row,
    values: row.values.map((value) => (value === null ? null : finite(value))),
  })),
  tags: tags.map((row) => ({ ...row, values: [...row.values] })),
});

export const toTrackerExperimentOut = (experiment: TrackerExperiment): TrackerExperimentOut => ({
  id: String(experiment.id),
  name: experiment.name,
  project: experiment.project,
  created_at: experiment.createdAt.toISOString(),
  updated_at: experiment.updatedAt.toISOString(),
  created_by: experiment.createdBy ?? null,
});
