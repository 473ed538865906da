import type { LabelledModel, LabelledVersion } from '../../../models/registry/labels/labels.types.js';
import { versionRoot } from '../artifacts/artifact-place.rules.js';

const LOGGED_MODEL = /^(?:models:\/+|mlflow-artifacts:\/+models\/)(m-[0-9a-f]{32})(?:\/|$)/;

/** `ModelVersion` of MLflow's protocol; times in milliseconds, the number as a text. */
export const toMlflowVersion = (version: LabelledVersion) => ({
  name: version.name,
  version: String(version.version),
  creation_timestamp: version.createdAt.getTime(),
  last_updated_timestamp: version.updatedAt.getTime(),
  user_id: version.createdBy ?? '',
  current_stage: version.stage,
  description: version.description ?? '',
  source: version.source ?? versionRoot(version.id),
  run_id: version.runId,
  status: 'READY',
  tags: version.tags,
  aliases: version.aliases,
  model_id: LOGGED_MODEL.exec(version.source ?? '')?.[1] ?? '',
});

/** `RegisteredModel` of MLflow's protocol. */
export const toMlflowModel = (model: LabelledModel) => ({
  name: model.name,
  creation_timestamp: model.createdAt.getTime(),
  last_updated_timestamp: model.updatedAt.getTime(),
  user_id: model.createdBy ?? '',
  description: model.description ?? '',
  latest_versions: model.latest.map(toMlflowVersion),
  tags: model.tags,
  aliases: model.aliases.map(({ alias, version }) => ({ alias, version: String(version) })),
});
