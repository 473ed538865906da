import { fieldError, unprocessable } from '../../core/errors/app-error.js';
import { parseInstant } from '../../core/time/parse-instant.js';
import { imageRef, type ImageRow } from '../../models/images/image.types.js';
import type { ModelRow, ModelVersionRow, Stage } from '../../models/registry/model.types.js';
import type { VersionLineage } from '../../models/registry/lineage.queries.js';
import type { StageChangeRow } from '../../models/registry/stage-history.queries.js';
import type {
  ModelOut,
  ModelSummaryOut,
  ModelVersionDetail,
  ModelVersionOut,
  StageChangeOut,
} from './models.schemas.js';

/** @throws AppError unprocessable_entity for a bad date-time */
export function toInstant(name: string, given: string | undefined): Date | null {
  if (given === undefined || given === '') return null;
  const parsed = parseInstant(given);
  if (!parsed)
    throw unprocessable([fieldError(['query', name], 'must be an ISO 8601 date-time', 'datetime_parsing')]);
  return parsed;
}

export const toModelOut = (model: ModelRow): ModelOut => ({
  name: model.name,
  version_count: model.versionCount,
  latest_version: model.latestVersion,
  stages: {
    production: [...model.stages.Production],
    staging: [...model.stages.Staging],
    archived: [...model.stages.Archived],
    none: [...model.stages.None],
  },
  created_at: model.createdAt.toISOString(),
  updated_at: model.updatedAt.toISOString(),
  created_by: model.createdBy,
});

export const toSummaryOut = (counts: {
  models: number;
  versions: number;
  stages: Record<Stage, number>;
}): ModelSummaryOut => ({
  models: counts.models,
  versions: counts.versions,
  production: counts.stages.Production,
  staging: counts.stages.Staging,
  archived: counts.stages.Archived,
  none: counts.stages.None,
});

/** @param image the version's image, if any */
export const toVersionOut = (
  version: ModelVersionRow,
  image: ImageRow | undefined,
  registryHost: string,
): ModelVersionOut => ({
  name: version.name,
  version: version.version,
  stage: version.stage,
  run_id: version.runId,
  experiment_id: version.experimentId,
  training_experiment_id: version.trainingExperimentId,
  dataset_id: version.datasetKey,
  dataset_digest: version.datasetDigest,
  task: version.task,
  framework: version.framework,
  licence: version.licence,
  metrics: version.metrics,
  size_bytes: version.sizeBytes,
  image_ref: image ? imageRef(registryHost, image) : null,
  description: version.description,
  created_at: version.createdAt.toISOString(),
  updated_at: version.updatedAt.toISOString(),
  created_by: version.createdBy,
});

export const toVersionDetail = (version: ModelVersionOut, lineage: VersionLineage): ModelVersionDetail => ({
  ...version,
  lineage: {
    dataset_id: version.dataset_id,
    dataset_digest: version.dataset_digest,
    training: lineage.training && { ...lineage.training },
    base: lineage.base && {
      model_name: lineage.base.name,
      version: lineage.base.version,
      sha256: lineage.base.sha256,
      stage: lineage.base.stage,
    },
    run: { run_id: lineage.run.runId, name: lineage.run.name, status: lineage.run.status },
    image_ref: version.image_ref,
    endpoints: lineage.endpoints.map(({ name, status }) => ({ name, status })),
    deployments: lineage.deployments.map(({ id, status, createdAt }) => ({
      ...{ id, status, created_at: createdAt.toISOString() },
    })),
    deployments_total: lineage.deploymentTotal,
    devices: lineage.devices.map(({ key, installedAt }) => ({
      ...{ device_id: key, installed_at: installedAt.toISOString() },
    })),
    devices_total: lineage.deviceTotal,
    derived: lineage.derived.map(({ name, version: number, stage }) => ({
      ...{ model_name: name, version: number, stage },
    })),
    derived_total: lineage.derivedTotal,
  },
});

export const toStageChangeOut = (change: StageChangeRow): StageChangeOut => ({
  version: change.version,
  from_stage: change.fromStage,
  to_stage: change.toStage,
  reason: change.reason,
  actor_id: change.actorId,
  actor_name: change.actorName,
  promotion_id: change.promotionId,
  at: change.at.toISOString(),
});
