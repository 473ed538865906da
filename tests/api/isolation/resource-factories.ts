import { DATASET_FACTORY } from '../datasets/support/dataset-factory.js';
import { DEPLOYMENT_FACTORY, DEPLOYMENT_STREAM_FACTORY } from '../deployments/support/deployment-factory.js';
import { DEVICE_FACTORY, DEVICE_STREAM_FACTORY } from '../edge/support/device-factory.js';
import { MODEL_FACTORY } from '../registry/support/model-factory.js';
import { NOTIFICATION_FACTORY } from '../notifications/support/notification-factory.js';
import { PROMOTION_FACTORY } from '../registry/support/promotion-factory.js';
import { ENDPOINT_FACTORY } from '../serving/endpoint-factory.js';
import { SYNC_FACTORY } from '../sources/support/sync-factory.js';
import { SOURCE_FACTORY } from '../sources/support/source-factory.js';
import type { ResourceFactory } from '../support/resource-factory.js';
import { TRACKER_EXPERIMENT_FACTORY } from '../tracker/support/tracker-experiment-factory.js';
import { EXPERIMENT_FACTORY, PRESET_FACTORY, RUN_FACTORY } from '../training/support/training-factories.js';

/**
 * One entry for each kind of resource a tenant owns. A new operation with a path parameter needs one here, or a named
 * exemption below; the isolation suite fails until it has.
 */
export const RESOURCE_FACTORIES: readonly ResourceFactory[] = [
  DATASET_FACTORY,
  SYNC_FACTORY,
  SOURCE_FACTORY,
  MODEL_FACTORY,
  PROMOTION_FACTORY,
  TRACKER_EXPERIMENT_FACTORY,
  ENDPOINT_FACTORY,
  EXPERIMENT_FACTORY,
  PRESET_FACTORY,
  RUN_FACTORY,
  NOTIFICATION_FACTORY,
  DEVICE_FACTORY,
  DEVICE_STREAM_FACTORY,
  DEPLOYMENT_FACTORY,
  DEPLOYMENT_STREAM_FACTORY,
];

/** Operations with path parameters that name no resource of a tenant, each with the reason. */
export const EXEMPT: Readonly<Record<string, string>> = {};

export const factoryOf = (path: string): ResourceFactory | undefined =>
  RESOURCE_FACTORIES.filter((factory) => path.startsWith(factory.prefix)).sort(
    (a, b) => b.prefix.length - a.prefix.length,
  )[0];
