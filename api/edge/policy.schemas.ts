/**
 * @isInt
 * @minimum 1
 * @maximum 36500
 */
export type OverrideDays = number;

/** Null leaves the tenant's value. Unknown keys are kept. */
export interface RetentionOverrideBody {
  telemetry_days?: OverrideDays | null;
  inference_days?: OverrideDays | null;
  uploads_days?: OverrideDays | null;
  /**
   * Limit of what the device holds itself.
   * @isInt
   * @minimum 1
   * @maximum 100000000
   */
  max_local_mb?: number | null;
  [key: string]: unknown;
}

/** Null leaves the default. Unknown keys are kept. */
export interface SyncOverrideBody {
  enabled?: boolean | null;
  /**
   * @minimum 1
   * @maximum 86400
   */
  interval_s?: number | null;
  /**
   * @isInt
   * @minimum 1
   * @maximum 10000
   */
  batch_size?: number | null;
  /**
   * @minimum 1
   * @maximum 100000000
   */
  max_kbps?: number | null;
  [key: string]: unknown;
}

/** What is left out stays as it is; null goes back to the default. */
export interface PolicyUpdate {
  /**
   * @minimum 1
   * @maximum 86400
   */
  heartbeat_interval_s?: number | null;
  /**
   * @minimum 1
   * @maximum 86400
   */
  commands_poll_s?: number | null;
  retention?: RetentionOverrideBody | null;
  sync?: SyncOverrideBody | null;
}

/** Days: null is no limit. On the device 512 MB are kept unless its policy says otherwise. */
export interface EffectiveRetentionOut {
  telemetry_days: number | null;
  inference_days: number | null;
  uploads_days: number | null;
  max_local_mb: number | null;
}

export interface EffectiveSyncOut {
  enabled: boolean;
  interval_s: number;
  batch_size: number;
  max_kbps: number | null;
}

export interface PolicyValuesOut {
  heartbeat_interval_s: number;
  commands_poll_s: number;
  retention: EffectiveRetentionOut;
  sync: EffectiveSyncOut;
}

/** What a device follows: what was set for it, else its tenant's values, else the defaults. */
export interface DeviceConfigOut extends PolicyValuesOut {
  device_id: string;
  revision: number;
}

export interface PolicyOut {
  heartbeat_interval_s: number;
  commands_poll_s: number;
  /** What was set for this device alone. */
  retention: RetentionOverrideBody;
  sync: SyncOverrideBody;
  /** Raised by every change. */
  revision: number;
  /** The revision that the device says it follows; null: it has not said. */
  applied_revision: number | null;
  effective: DeviceConfigOut;
  /** What would hold with nothing set for this device: its tenant's values, else the defaults. */
  inherited: PolicyValuesOut;
}
