import type { MigrationObject } from '@mikro-orm/core';
import { M0001Roles } from './m0001-roles.js';
import { M0010AccountsTenants } from './m0010-accounts-tenants.js';
import { M0020AuditDispatch } from './m0020-audit-dispatch.js';
import { M0030Durable } from './m0030-durable.js';
import { M0300Datasets } from './m0300-datasets.js';
import { M0320ExternalSources } from './m0320-external-sources.js';
import { M0325DatasetSyncs } from './m0325-dataset-syncs.js';
import { M0400Tracker } from './m0400-tracker.js';
import { M0500Training } from './m0500-training.js';
import { M0600Registry } from './m0600-registry.js';
import { M0610Images } from './m0610-images.js';
import { M0620ImageBlobRemoval } from './m0620-image-blob-removal.js';
import { M0700Serving } from './m0700-serving.js';
import { M0800AuditLists } from './m0800-audit-lists.js';
import { M0810ProcessHeartbeat } from './m0810-process-heartbeat.js';
import { M0820WorkloadHost } from './m0820-workload-host.js';
import { M0900Notifications } from './m0900-notifications.js';
import { M0920AccessTokens } from './m0920-access-tokens.js';
import { M0921AttemptLimits } from './m0921-attempt-limits.js';
import { M0930TrainingRetry } from './m0930-training-retry.js';
import { M0931VersionReferences } from './m0931-version-references.js';

/** In the order they run. Numbers by domain: 03xx datasets, 04xx tracker, 05xx training, 06xx registry, 07xx serving, 09xx people. */
export const MIGRATIONS: MigrationObject[] = [
  { name: 'm0001-roles', class: M0001Roles },
  { name: 'm0010-accounts-tenants', class: M0010AccountsTenants },
  { name: 'm0020-audit-dispatch', class: M0020AuditDispatch },
  { name: 'm0030-durable', class: M0030Durable },
  { name: 'm0300-datasets', class: M0300Datasets },
  { name: 'm0320-external-sources', class: M0320ExternalSources },
  { name: 'm0325-dataset-syncs', class: M0325DatasetSyncs },
  { name: 'm0400-tracker', class: M0400Tracker },
  { name: 'm0500-training', class: M0500Training },
  { name: 'm0600-registry', class: M0600Registry },
  { name: 'm0610-images', class: M0610Images },
  { name: 'm0620-image-blob-removal', class: M0620ImageBlobRemoval },
  { name: 'm0700-serving', class: M0700Serving },
  { name: 'm0800-audit-lists', class: M0800AuditLists },
  { name: 'm0810-process-heartbeat', class: M0810ProcessHeartbeat },
  { name: 'm0820-workload-host', class: M0820WorkloadHost },
  { name: 'm0900-notifications', class: M0900Notifications },
  { name: 'm0920-access-tokens', class: M0920AccessTokens },
  { name: 'm0921-attempt-limits', class: M0921AttemptLimits },
  { name: 'm0930-training-retry', class: M0930TrainingRetry },
  { name: 'm0931-version-references', class: M0931VersionReferences },
];
