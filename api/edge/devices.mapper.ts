import type { DeviceRow, Fleet } from '../../models/edge/devices/device.queries.js';
import { type Feed, toFeedQuery as readFeedQuery } from '../../models/edge/feeds/record-feed.rules.js';
import type { HeartbeatRow } from '../../models/edge/heartbeats/heartbeat.queries.js';
import type { PolicyChanges } from '../../models/edge/policy/policy.commands.js';
import { effectivePolicy, inheritedPolicy } from '../../models/edge/policy/policy.rules.js';
import type { EffectivePolicy } from '../../models/edge/policy/policy.types.js';
import type {
  DeviceContainerOut,
  DeviceOut,
  DeviceTokenOut,
  FleetPage,
  HeartbeatFeed,
} from './devices.schemas.js';
import type { DeviceConfigOut, PolicyOut, PolicyUpdate, PolicyValuesOut } from './policy.schemas.js';
import type { DeviceWithToken } from './devices.service.js';

/** For controllers, which know no models. */
export const toFeedQuery = readFeedQuery;

export const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

/** Devices choose what their heartbeats hold: what has another form is no container. */
function toContainers({ containers }: Readonly<Record<string, unknown>>): DeviceContainerOut[] {
  if (!Array.isArray(containers)) return [];
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return containers.flatMap((each: Record<string, unknown> | null) =>
    typeof each?.name === 'string'
      ? [{ name: each.name, image: text(each.image), status: text(each.status) }]
      : [],
  );
}

const toValuesOut = ({
  heartbeatIntervalS,
  commandsPollS,
  retention,
  sync,
}: EffectivePolicy): PolicyValuesOut => ({
  heartbeat_interval_s: heartbeatIntervalS,
  commands_poll_s: commandsPollS,
  retention: {
    telemetry_days: retention.telemetryDays,
    inference_days: retention.inferenceDays,
    uploads_days: retention.uploadsDays,
    max_local_mb: retention.maxLocalMb,
  },
  sync: {
    enabled: sync.enabled,
    interval_s: sync.intervalS,
    batch_size: sync.batchSize,
    max_kbps: sync.maxKbps,
  },
});

export const toConfigOut = (row: DeviceRow): DeviceConfigOut => ({
  device_id: row.key,
  revision: row.policyRevision,
  ...toValuesOut(effectivePolicy(row, row.tenantRetention)),
});

export function toPolicyOut(row: DeviceRow): PolicyOut {
  const effective = toConfigOut(row);
  return {
    heartbeat_interval_s: effective.heartbeat_interval_s,
    commands_poll_s: effective.commands_poll_s,
    retention: { ...row.retention },
    sync: { ...row.sync },
    revision: row.policyRevision,
    applied_revision: row.appliedRevision,
    effective,
    inherited: toValuesOut(inheritedPolicy(row.tenantRetention)),
  };
}

export const toDeviceOut = (row: DeviceRow): DeviceOut => ({
  id: row.key,
  status: row.status,
  blocked: row.isBlocked,
  location: row.location,
  os: row.os,
  sdk_version: row.sdkVersion,
  scopes: row.scopes,
  token_expires_at: row.revokedAt === null ? row.expiresAt.toISOString() : null,
  registered_at: iso(row.registeredAt),
  snapshot: {
    ...{ cpu: row.cpu, gpu: row.gpu, mem: row.mem, disk: row.disk },
    last_heartbeat: iso(row.lastHeartbeatAt),
  },
  containers: toContainers(row.payload),
  models: row.models.map(({ name, version, installedAt }) => ({ name, version, installed_at: installedAt })),
  policy: toPolicyOut(row),
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  created_by: row.createdBy,
});

export const toTokenOut = ({ key, token, scopes, expiresAt }: DeviceWithToken): DeviceTokenOut => ({
  id: key,
  token,
  scopes: [...scopes],
  expires_at: expiresAt.toISOString(),
});

export const toFleetPage = (fleet: Fleet): FleetPage => ({
  ...fleet,
  items: fleet.items.map(toDeviceOut),
  counts: { ...fleet.counts },
  locations: fleet.locations.map((each) => ({ ...each })),
  versions: fleet.versions.map((each) => ({ ...each })),
});

/** Null sets all of an override back. */
export const toPolicyChanges = (body: PolicyUpdate): PolicyChanges => ({
  ...(body.heartbeat_interval_s !== undefined && { heartbeatIntervalS: body.heartbeat_interval_s }),
  ...(body.commands_poll_s !== undefined && { commandsPollS: body.commands_poll_s }),
  ...(body.retention !== undefined && { retention: body.retention }),
  ...(body.sync !== undefined && { sync: body.sync }),
});

export const toHeartbeatFeed = ({
  items,
  total,
  isCapped,
  nextCursor,
}: Feed<HeartbeatRow>): HeartbeatFeed => ({
  items: items.map(({ id, receivedAt, cpu, gpu, mem, disk, payload }) => ({
    ...{ id: String(id), at: receivedAt.toISOString(), cpu, gpu, mem, disk, payload },
  })),
  total,
  total_capped: isCapped,
  next_cursor: nextCursor,
});
