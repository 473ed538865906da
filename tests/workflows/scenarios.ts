import { DATASET_SCENARIOS } from './datasets/dataset.scenarios.js';
import { DEPLOYMENT_SCENARIOS } from './deployments/deployment.scenarios.js';
import { MODEL_IMAGE_SCENARIOS } from './images/model-image.scenarios.js';
import { PROMOTION_SCENARIOS } from './registry/promotion.scenarios.js';
import { SERVING_SCENARIOS } from './serving/serving-endpoint.scenarios.js';
import { SYNC_SCENARIOS } from './sources/dataset-sync.scenarios.js';
import type { Scenario } from './support/scenario.js';
import { MAINTENANCE_SCENARIOS } from './system/maintenance.scenarios.js';
import { TENANT_DELETION_SCENARIOS } from './tenants/tenant-deletion.scenarios.js';
import { EXPORT_SCENARIOS } from './training/training-export.scenarios.js';
import { TRAINING_SCENARIOS } from './training/training-experiment.scenarios.js';

/** By what a file of tests plays, so that several workers share them. */
export const PLAYED = {
  datasets: [...MAINTENANCE_SCENARIOS, ...DATASET_SCENARIOS],
  syncs: SYNC_SCENARIOS,
  images: [...MODEL_IMAGE_SCENARIOS, ...PROMOTION_SCENARIOS],
  serving: [...SERVING_SCENARIOS, ...DEPLOYMENT_SCENARIOS],
  training: [...TRAINING_SCENARIOS, ...EXPORT_SCENARIOS, ...TENANT_DELETION_SCENARIOS],
} as const satisfies Readonly<Record<string, readonly Scenario[]>>;

/** Every scenario of every workflow type, by domain; append above, then record with `node dist/tests/workflows/record.js`. */
export const SCENARIOS: readonly Scenario[] = Object.values(PLAYED).flat();
