import { DATASET_SCENARIOS } from './datasets/dataset.scenarios.js';
import type { Scenario } from './support/scenario.js';
import { MAINTENANCE_SCENARIOS } from './system/maintenance.scenarios.js';

/** Every scenario of every workflow type, by domain; append here, then record with `node dist/tests/workflows/record.js`. */
export const SCENARIOS: readonly Scenario[] = [...MAINTENANCE_SCENARIOS, ...DATASET_SCENARIOS];
