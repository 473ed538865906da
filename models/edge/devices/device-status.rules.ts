export const DEVICE_STATUSES = ['PENDING', 'ACTIVE', 'STALE', 'OFFLINE', 'BLOCKED'] as const;
/** Never stored: derived from what is known of a device. */
export type DeviceStatus = (typeof DEVICE_STATUSES)[number];

/** Heartbeats that may be missing until a device counts as stale, and as offline. */
export const STALE_AFTER = 3;
export const OFFLINE_AFTER = 10;

export interface SeenDevice {
  readonly isBlocked: boolean;
  /** Null: never. */
  readonly registeredAt: Date | null;
  readonly lastHeartbeatAt: Date | null;
  readonly heartbeatIntervalS: number;
}

/** The same rule as `DEVICE_STATUS_SQL`; a test compares the two. */
export function deviceStatus(now: Date, device: SeenDevice): DeviceStatus {
  if (device.isBlocked) return 'BLOCKED';
  if (device.registeredAt === null) return 'PENDING';
  const seenAt = Math.max(device.registeredAt.getTime(), device.lastHeartbeatAt?.getTime() ?? 0);
  const silentS = (now.getTime() - seenAt) / 1000;
  if (silentS >= OFFLINE_AFTER * device.heartbeatIntervalS) return 'OFFLINE';
  return silentS >= STALE_AFTER * device.heartbeatIntervalS ? 'STALE' : 'ACTIVE';
}
