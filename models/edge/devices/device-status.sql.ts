import { type RawBuilder, sql } from 'kysely';
import { DEFAULT_POLICY } from '../policy/policy.rules.js';
import { type DeviceStatus, OFFLINE_AFTER, STALE_AFTER } from './device-status.rules.js';

const SILENT_S = sql`extract(epoch from now() - greatest(d.registered_at, s.last_heartbeat_at))`;
const INTERVAL_S = sql`coalesce(d.heartbeat_interval_s, ${sql.lit(DEFAULT_POLICY.heartbeatIntervalS)})`;

/** The rule of `deviceStatus` over a device `d` and its snapshot `s`. */
export const DEVICE_STATUS: RawBuilder<DeviceStatus> = sql<DeviceStatus>`case
  when d.is_blocked then 'BLOCKED'
  when d.registered_at is null then 'PENDING'
  when ${SILENT_S} >= ${sql.lit(OFFLINE_AFTER)} * ${INTERVAL_S} then 'OFFLINE'
  when ${SILENT_S} >= ${sql.lit(STALE_AFTER)} * ${INTERVAL_S} then 'STALE'
  else 'ACTIVE' end`;
