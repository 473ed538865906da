import type { MigrationObject } from '@mikro-orm/core';
import { RolesBaseline } from './20261123T0000-roles.js';
import { TenantsBaseline } from './20261123T0001-tenants.js';
import { AccountsBaseline } from './20261123T0002-accounts.js';
import { AuditBaseline } from './20261123T0003-audit.js';
import { OutboxBaseline } from './20261123T0004-outbox.js';
import { ObjectsBaseline } from './20261123T0005-objects.js';
import { DatasetsBaseline } from './20261123T0006-datasets.js';
import { AnnotationsBaseline } from './20261123T0007-annotations.js';
import { SourcesBaseline } from './20261123T0008-sources.js';
import { TrackerBaseline } from './20261123T0009-tracker.js';
import { TrainingBaseline } from './20261123T0010-training.js';
import { RegistryBaseline } from './20261123T0011-registry.js';
import { ImagesBaseline } from './20261123T0012-images.js';
import { ServingBaseline } from './20261123T0013-serving.js';
import { NotificationsBaseline } from './20261123T0014-notifications.js';
import { SystemBaseline } from './20261123T0015-system.js';
import { SchemaState } from './20261123T2340-schema-state.js';
import { AuthRole } from './20261124T0010-auth-role.js';
import { Invitations } from './20261124T0011-invitations.js';
import { StreamSeats } from './20261124T0012-stream-seats.js';
import { WorkloadRows } from './20261124T0020-workload-rows.js';
import { Restores } from './20261124T0030-restores.js';
import { Telemetry } from './20261124T0040-telemetry.js';
import { LogSegments } from './20261124T0050-log-segments.js';
import { Promotions } from './20261125T1045-promotions.js';
import { InferenceRecords } from './20261125T1050-inference-records.js';
import { TrackerProtocol } from './20261125T1120-tracker-protocol.js';
import { TrackerSearch } from './20261125T1745-tracker-search.js';
import { BASELINE } from './baseline.js';

/**
 * In the order they run, which is that of their names: the UTC time at which each was written. Append-only.
 */
export const MIGRATIONS: MigrationObject[] = [
  { name: BASELINE, class: RolesBaseline },
  { name: '20261123T0001-tenants', class: TenantsBaseline },
  { name: '20261123T0002-accounts', class: AccountsBaseline },
  { name: '20261123T0003-audit', class: AuditBaseline },
  { name: '20261123T0004-outbox', class: OutboxBaseline },
  { name: '20261123T0005-objects', class: ObjectsBaseline },
  { name: '20261123T0006-datasets', class: DatasetsBaseline },
  { name: '20261123T0007-annotations', class: AnnotationsBaseline },
  { name: '20261123T0008-sources', class: SourcesBaseline },
  { name: '20261123T0009-tracker', class: TrackerBaseline },
  { name: '20261123T0010-training', class: TrainingBaseline },
  { name: '20261123T0011-registry', class: RegistryBaseline },
  { name: '20261123T0012-images', class: ImagesBaseline },
  { name: '20261123T0013-serving', class: ServingBaseline },
  { name: '20261123T0014-notifications', class: NotificationsBaseline },
  { name: '20261123T0015-system', class: SystemBaseline },
  { name: '20261123T2340-schema-state', class: SchemaState },
  { name: '20261124T0010-auth-role', class: AuthRole },
  { name: '20261124T0011-invitations', class: Invitations },
  { name: '20261124T0012-stream-seats', class: StreamSeats },
  { name: '20261124T0020-workload-rows', class: WorkloadRows },
  { name: '20261124T0030-restores', class: Restores },
  { name: '20261124T0040-telemetry', class: Telemetry },
  { name: '20261124T0050-log-segments', class: LogSegments },
  { name: '20261125T1045-promotions', class: Promotions },
  { name: '20261125T1050-inference-records', class: InferenceRecords },
  { name: '20261125T1120-tracker-protocol', class: TrackerProtocol },
  { name: '20261125T1745-tracker-search', class: TrackerSearch },
];
