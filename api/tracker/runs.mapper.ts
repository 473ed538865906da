import type { ModelVersionRow } from '../../models/registry/model.types.js';
import type { SeriesPoint } from '../../models/tracker/metric.queries.js';
import type { ExperimentPlace } from '../../models/tracker/run.queries.js';
import type { ArtifactEntry, JudgedRun, MainMetric, RunDetail } from '../../models/tracker/run.types.js';
import type {
  ArtifactEntryOut,
  MainMetricOut,
  MetricPointOut,
  RegisteredModelOut,
  RunOut,
  TreeProjectOut,
  TreeRunOut,
} from './runs.schemas.js';

/** JSON has no NaN and no infinity. */
export const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
export const toMainMetric = (metric: MainMetric | null): MainMetricOut | null =>
  metric && { name: metric.name, value: finite(metric.value) };
const finiteValues = (metrics: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(metrics).map(([name, value]) => [name, finite(value)]));
const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

/** As clients of the tracker interface see it; they fetch below it through the artifact proxy. */
export const artifactRoot = (runId: string): string => `mlflow-artifacts:/${runId}/artifacts`;

export const toRunOut = (
  run: RunDetail,
  versions: ReadonlyArray<{ readonly name: string; readonly version: number }>,
): RunOut => ({
  run_id: run.runId,
  name: run.name,
  experiment_id: String(run.experimentId),
  experiment_name: run.experimentName,
  project: run.project,
  status: run.status,
  params: { ...run.params },
  metrics: finiteValues(run.metrics),
  tags: { ...run.tags },
  artifact_root: artifactRoot(run.runId),
  training_experiment_id: run.trainingId,
  started_at: iso(run.startedAt),
  finished_at: iso(run.finishedAt),
  registered_versions: versions.map(({ name, version }) => ({ name, version })),
  created_at: run.createdAt.toISOString(),
  updated_at: run.updatedAt.toISOString(),
  created_by: run.createdBy,
});

const toTreeRun = (run: JudgedRun): TreeRunOut => ({
  run_id: run.runId,
  name: run.name,
  status: run.status,
  started_at: iso(run.startedAt),
  finished_at: iso(run.finishedAt),
  main_metric: toMainMetric(run.mainMetric),
});

/** @param experiments by project and name @param runs newest first */
export function toTree(
  experiments: readonly ExperimentPlace[],
  runs: readonly JudgedRun[],
): TreeProjectOut[] {
  const runsOf = grouped(runs, (run) => run.experimentId);
  return [...grouped(experiments, (experiment) => experiment.project)].map(([name, inProject]) => ({
    name,
    experiments: inProject.map((experiment) => ({
      id: String(experiment.id),
      name: experiment.name,
      run_count: experiment.runCount,
      runs: (runsOf.get(experiment.id) ?? []).map(toTreeRun),
    })),
  }));
}

function grouped<K, T>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** A clock may be far off: what no date can hold is cut to what one can. */
const dateOf = (ts: number): string => new Date(Math.min(8.64e15, Math.max(-8.64e15, ts))).toISOString();

export const toMetricPoint = ({ step, value, ts }: SeriesPoint): MetricPointOut => ({
  step,
  value: finite(value),
  at: dateOf(ts),
});

export const toArtifactEntry = ({ path, isDir, sizeBytes }: ArtifactEntry): ArtifactEntryOut => ({
  path,
  name: path.slice(path.lastIndexOf('/') + 1),
  is_dir: isDir,
  size_bytes: sizeBytes,
});

export const toRegisteredModel = (version: ModelVersionRow): RegisteredModelOut => ({
  name: version.name,
  version: version.version,
  stage: version.stage,
  run_id: version.runId,
  experiment_id: version.experimentId,
  training_experiment_id: version.trainingExperimentId,
  dataset_id: version.datasetKey,
  task: version.task,
  framework: version.framework,
  licence: version.licence,
  metrics: finiteValues(version.metrics),
  size_bytes: version.sizeBytes,
  description: version.description,
  created_at: version.createdAt.toISOString(),
  updated_at: version.updatedAt.toISOString(),
  created_by: version.createdBy,
});
