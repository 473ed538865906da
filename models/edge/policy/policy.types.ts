/** What a device keeps for how long, where it differs from its tenant; null or absent: the tenant's value. */
export interface RetentionOverride {
  telemetry_days?: number | null;
  inference_days?: number | null;
  uploads_days?: number | null;
  /** Limit of what the device holds itself. */
  max_local_mb?: number | null;
}

/** How a device sends what it holds, where it differs from the default; null or absent: the default. */
export interface SyncOverride {
  enabled?: boolean | null;
  interval_s?: number | null;
  batch_size?: number | null;
  max_kbps?: number | null;
}

/** What was set for one device. */
export interface PolicyOverrides {
  readonly heartbeatIntervalS: number | null;
  readonly commandsPollS: number | null;
  readonly retention: RetentionOverride;
  readonly sync: SyncOverride;
}

/** What a device follows. */
export interface EffectivePolicy {
  readonly heartbeatIntervalS: number;
  readonly commandsPollS: number;
  /** Null: no limit. */
  readonly retention: {
    readonly telemetryDays: number | null;
    readonly inferenceDays: number | null;
    readonly uploadsDays: number | null;
    readonly maxLocalMb: number | null;
  };
  readonly sync: {
    readonly enabled: boolean;
    readonly intervalS: number;
    readonly batchSize: number;
    readonly maxKbps: number | null;
  };
}

/** Days by kind of record, as a tenant sets them; absent or null: no limit. */
export type TenantRetention = Readonly<Record<string, number | null | undefined>>;
