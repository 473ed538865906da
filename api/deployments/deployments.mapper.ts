import type { DeploymentDeviceRow } from '../../models/deployments/devices/deployment-device.queries.js';
import type { DeploymentLogRow, LogPage } from '../../models/deployments/deployment-log.queries.js';
import type { DeploymentView } from '../../models/deployments/deployment-view.rules.js';
import type {
  DeploymentDeviceOut,
  DeploymentLogList,
  DeploymentLogOut,
} from './deployment-devices.schemas.js';
import type { DeploymentOut } from './deployments.schemas.js';

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

export const toDeploymentOut = ({
  row,
  devices,
  progress,
  steps,
  groups,
  rollback,
}: DeploymentView): DeploymentOut => ({
  id: row.id,
  model_name: row.modelName,
  version: row.version,
  previous_version: row.previousVersion,
  target_device_id: row.targetDevice,
  targets: row.targets && {
    ids: row.targets.ids === null ? null : [...row.targets.ids],
    location: row.targets.location,
    os: row.targets.os,
    current_version: row.targets.currentVersion,
  },
  strategy: row.strategy,
  image: row.image,
  status: row.status,
  progress,
  message: row.statusMessage,
  steps: steps.map((step) => ({ ...step })),
  groups: groups.map(({ number, size, successThreshold, errorThreshold, status, succeeded, failed }) => ({
    ...{ number, size, success_threshold: successThreshold, error_threshold: errorThreshold },
    ...{ status, succeeded, failed },
  })),
  device_count: devices,
  ...(rollback && { rollback: rollback.map((way) => ({ ...way })) }),
  window: row.maintenanceWindow && { ...row.maintenanceWindow },
  rollback_on: row.rollbackOn.map((condition) => ({ ...condition })),
  watched: row.isWatched,
  dataset_digest: row.datasetDigest,
  licence: row.licence,
  started_at: iso(row.startedAt),
  finished_at: iso(row.finishedAt),
  requested_by_name: row.requestedByName,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  created_by: row.createdBy,
});

export const toDeploymentDeviceOut = (row: DeploymentDeviceRow): DeploymentDeviceOut => ({
  device_id: row.deviceKey,
  group: row.groupNo + 1,
  step: row.step,
  progress: row.progress,
  message: row.message,
  from_version: row.fromVersion,
  version: row.version,
  rollback: row.isRollback,
  started_at: iso(row.startedAt),
  finished_at: iso(row.finishedAt),
});

const toDeploymentLogOut = ({ at, step, deviceKey, message }: DeploymentLogRow): DeploymentLogOut => ({
  ...{ at: at.toISOString(), step, message },
  device_id: deviceKey,
});

export const toDeploymentLogList = ({ items, total, nextCursor }: LogPage): DeploymentLogList => ({
  ...{ items: items.map(toDeploymentLogOut), total },
  next_cursor: nextCursor,
});
