import { imageRef, type ImageRow } from '../../models/images/image.types.js';
import type { ModelRow, ModelVersionRow, Stage } from '../../models/registry/model.types.js';
import type { ModelOut, ModelSummaryOut, ModelVersionOut } from './models.schemas.js';

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
  metrics: version.metrics,
  size_bytes: version.sizeBytes,
  image_ref: image ? imageRef(registryHost, image) : null,
  description: version.description,
  created_at: version.createdAt.toISOString(),
  updated_at: version.updatedAt.toISOString(),
  created_by: version.createdBy,
});
