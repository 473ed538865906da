import type { EffectivePolicy, PolicyOverrides, TenantRetention } from './policy.types.js';

/** What holds for a device for which nothing was set. */
export const DEFAULT_POLICY = {
  heartbeatIntervalS: 30,
  commandsPollS: 30,
  /** What the reference agent keeps on its disk without a word. */
  retention: { maxLocalMb: 512 },
  sync: { enabled: true, intervalS: 60, batchSize: 500, maxKbps: null },
} as const;

const daysOf = (own: number | null | undefined, tenant: number | null | undefined): number | null =>
  own ?? (typeof tenant === 'number' ? tenant : null);

/** Days that records of a kind are kept, by the device's policy, else by its tenant; null: no limit. */
export const keptDaysOf = (
  kind: 'telemetry' | 'inference' | 'uploads',
  retention: PolicyOverrides['retention'],
  tenant: TenantRetention,
): number | null => daysOf(retention[`${kind}_days`], tenant[kind]);

export function effectivePolicy(
  { heartbeatIntervalS, commandsPollS, retention, sync }: PolicyOverrides,
  tenant: TenantRetention,
): EffectivePolicy {
  return {
    heartbeatIntervalS: heartbeatIntervalS ?? DEFAULT_POLICY.heartbeatIntervalS,
    commandsPollS: commandsPollS ?? DEFAULT_POLICY.commandsPollS,
    retention: {
      telemetryDays: keptDaysOf('telemetry', retention, tenant),
      inferenceDays: keptDaysOf('inference', retention, tenant),
      uploadsDays: keptDaysOf('uploads', retention, tenant),
      maxLocalMb: retention.max_local_mb ?? DEFAULT_POLICY.retention.maxLocalMb,
    },
    sync: {
      enabled: sync.enabled ?? DEFAULT_POLICY.sync.enabled,
      intervalS: sync.interval_s ?? DEFAULT_POLICY.sync.intervalS,
      batchSize: sync.batch_size ?? DEFAULT_POLICY.sync.batchSize,
      maxKbps: sync.max_kbps ?? DEFAULT_POLICY.sync.maxKbps,
    },
  };
}

/** What holds for a device of the tenant with nothing set for it. */
export const inheritedPolicy = (tenant: TenantRetention): EffectivePolicy =>
  effectivePolicy({ heartbeatIntervalS: null, commandsPollS: null, retention: {}, sync: {} }, tenant);
