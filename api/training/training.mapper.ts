import type { FieldError } from '../../core/errors/app-error.js';
import type { TrainableDataset } from '../../models/datasets/catalog/dataset.types.js';
import type { Series } from '../../models/tracker/metric.queries.js';
import type {
  Availability,
  EnvironmentNeed,
  FrameworkEntry,
  TaskType,
} from '../../models/training/catalog/catalog.types.js';
import type { ExperimentRow, ListedExperiment } from '../../models/training/experiment.queries.js';
import type { ExperimentStep } from '../../models/training/experiment.types.js';
import type { Preset } from '../../models/training/presets/built-in-presets.js';
import { toMainMetric } from '../tracker/runs.mapper.js';
import { boundedFindings } from '../http/answers/bounded-findings.js';
import type { CatalogModel } from './catalog.service.js';
import type { Forecasts } from './forecast.service.js';
import type { ConfigFinding } from './experiment-config.schemas.js';
import type { CurveOut, ExperimentDetailOut, ExperimentOut, StepOut } from './experiments.schemas.js';
import type { PresetOut } from './presets.schemas.js';
import type {
  CatalogModelOut,
  EnvironmentOut,
  FrameworkOut,
  TrainableDatasetOut,
} from './training.schemas.js';

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

export const toEnvironmentOut = (need: EnvironmentNeed | null): EnvironmentOut | null =>
  need && { size_gb: need.sizeGb, seconds: need.seconds };

/** @param task whose metrics are shown */
export const toFrameworkOut = (
  framework: FrameworkEntry,
  task: TaskType,
  availability: Availability,
): FrameworkOut => ({
  name: framework.name,
  title: framework.title,
  license: framework.license,
  licence: framework.license,
  homepage: framework.homepage,
  needs_gpu: framework.needsGpu,
  tasks: [...framework.tasks],
  metrics: [...(framework.metrics[task] ?? [])],
  environment: toEnvironmentOut(framework.environment),
  ...availability,
});

export const toCatalogModelOut = ({
  model,
  framework,
  availability,
  weights,
}: CatalogModel): CatalogModelOut => ({
  name: model.name,
  title: model.title,
  description: model.description,
  framework: model.framework,
  task: model.task,
  default: model.isDefault,
  parameters_m: model.parametersM,
  map: model.map,
  licence: framework.license,
  pretrained_sources: [...weights],
  ...availability,
});

export const toTrainableDataset = (dataset: TrainableDataset): TrainableDatasetOut => ({
  id: dataset.key,
  name: dataset.name,
  digest: dataset.digest,
  file_count: dataset.fileCount,
  size_bytes: dataset.sizeBytes,
  class_count: dataset.classCount,
});

export const toPresetOut = (preset: Preset): PresetOut => ({
  id: preset.id,
  name: preset.name,
  description: preset.description,
  built_in: preset.isBuiltIn,
  config: { ...preset.config },
  created_at: iso(preset.createdAt),
  created_by: preset.createdBy,
});

/** @param forecasts of the steps that are not over */
export const toStepOut = (step: ExperimentStep, forecasts: Forecasts): StepOut => ({
  key: step.key,
  title: step.title,
  status: step.status,
  progress: step.progress,
  message: step.message,
  reason: forecasts.get(step.key)?.reason ?? null,
  queue_position: forecasts.get(step.key)?.queuePosition ?? null,
  predicted_start_at: iso(forecasts.get(step.key)?.predictedStartAt ?? null),
  eta: iso(forecasts.get(step.key)?.eta ?? null),
  started_at: iso(step.startedAt),
  finished_at: iso(step.finishedAt),
});

const fieldsOf = (row: ExperimentRow): Omit<ExperimentOut, 'main_metric'> => ({
  id: row.id,
  name: row.name,
  task: row.task,
  framework: row.framework,
  model: row.model,
  dataset_id: row.datasetKey,
  dataset_digest: row.datasetDigest,
  status: row.status,
  status_message: row.statusMessage,
  progress: row.progress,
  gpu: row.gpu,
  preset: row.preset,
  attempt: row.attempt,
  tracker_run_id: row.trackerRunId,
  started_at: iso(row.startedAt),
  finished_at: iso(row.finishedAt),
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  created_by: row.createdBy,
});

export const toExperimentOut = (row: ListedExperiment): ExperimentOut => ({
  ...fieldsOf(row),
  main_metric: toMainMetric(row.mainMetric),
});

export const toExperimentDetail = (
  row: ExperimentRow,
  steps: readonly ExperimentStep[],
  forecasts: Forecasts,
): ExperimentDetailOut => ({
  ...fieldsOf(row),
  config: { ...row.config },
  steps: steps.map((step) => toStepOut(step, forecasts)),
});

/** Times beyond what a date can hold are cut to its ends. */
const dateOf = (ts: number): string => new Date(Math.min(8.64e15, Math.max(-8.64e15, ts))).toISOString();

export const toCurve = (key: string, { points, total }: Series): CurveOut => ({
  key,
  sampled: points.length < total,
  total,
  points: points.map(({ step, value, ts }) => ({
    step,
    value: Number.isFinite(value) ? value : null,
    at: dateOf(ts),
  })),
});

export const toFindings = (findings: readonly FieldError[]): ConfigFinding[] =>
  boundedFindings(findings).map(({ loc, msg, type }) => ({ loc: [...loc], msg, type }));
