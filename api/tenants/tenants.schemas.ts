import type { LineText } from '../http/routing/parameters.js';

/**
 * @isInt
 * @minimum 1
 * @maximum 36500
 */
export type RetentionDays = number;

/** Days to keep, by kind of record; null keeps without limit. Unknown keys are kept as they are. */
export interface Retention {
  telemetry?: RetentionDays | null;
  inference?: RetentionDays | null;
  logs?: RetentionDays | null;
  audit?: RetentionDays | null;
  uploads?: RetentionDays | null;
  [key: string]: unknown;
}

/** Switches by key of `GET /api/v1/settings/features`; a missing key means its default. Unknown keys are kept. */
export interface FeatureSwitches {
  notification_email?: boolean;
  promotion_approval?: boolean;
  [key: string]: unknown;
}

/** The shared variant that a new tenant starts with as its default. */
export interface SharedDefault {
  kind: 'runtime' | 'stager';
  /** @maxLength 64 */
  framework?: string | null;
  /** @maxLength 128 */
  variant_id: string;
  [key: string]: unknown;
}

/** A tenant with its settings. */
export interface TenantOut {
  id: string;
  code: string;
  name: string;
  /** KPI name to number, such as `{"map50": 0.6}`. */
  kpi_targets: Record<string, number>;
  retention: Retention;
  features: FeatureSwitches;
  shared_defaults: SharedDefault[];
  is_active: boolean;
  created_at: string;
  updated_at: string;
}

/** Each settings object may have at most 64 KiB as JSON. Unknown keys of the body itself are dropped. */
export interface TenantCreate {
  /**
   * Immutable. `shared`, `system`, `library` and `platform` are reserved.
   * @pattern ^(?!(shared|system|library|platform)$)[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$ must be 1 to 40 lower-case letters, digits or '-', with a letter or digit at both ends, and not shared, system, library or platform
   */
  code: string;
  name: LineText;
  kpi_targets?: Record<string, number>;
  retention?: Retention;
  features?: FeatureSwitches;
  /** @maxItems 100 */
  shared_defaults?: SharedDefault[];
}

/** Only what is given changes; each object is replaced as a whole. Null is the same as a missing key. */
export interface TenantUpdate {
  name?: LineText | null;
  kpi_targets?: Record<string, number> | null;
  retention?: Retention | null;
  is_active?: boolean | null;
  features?: FeatureSwitches | null;
}

/** A tenant of the caller with the role held there. */
export interface TenantMembershipOut {
  id: string;
  code: string;
  name: string;
  role: string;
}

export interface TenantMembershipList {
  items: TenantMembershipOut[];
  total: number;
}

export interface TenantList {
  items: TenantOut[];
  total: number;
}

export interface FeatureOut {
  key: string;
  title: string;
  description: string;
  default: boolean;
}

export interface FeatureList {
  items: FeatureOut[];
  total: number;
}
