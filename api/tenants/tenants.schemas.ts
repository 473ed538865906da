export interface SharedDefault {
  kind: 'runtime' | 'stager';
  /** @maxLength 64 */
  framework?: string;
  /** @maxLength 128 */
  variant_id: string;
  [key: string]: unknown;
}

/** A tenant with its settings. */
export interface TenantOut {
  id: string;
  code: string;
  name: string;
  kpi_targets: Record<string, unknown>;
  retention: Record<string, unknown>;
  features: Record<string, unknown>;
  shared_defaults: SharedDefault[];
  is_active: boolean;
  /** @isDateTime */
  created_at: string;
  /** @isDateTime */
  updated_at: string;
}

export interface TenantCreate {
  /**
   * Immutable. `shared`, `system`, `library` and `platform` are reserved.
   * @pattern ^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$
   */
  code: string;
  /**
   * @minLength 1
   * @maxLength 200
   */
  name: string;
  kpi_targets?: Record<string, unknown>;
  retention?: Record<string, unknown>;
  features?: Record<string, unknown>;
  /** @maxItems 100 */
  shared_defaults?: SharedDefault[];
}

export interface TenantUpdate {
  /**
   * @minLength 1
   * @maxLength 200
   */
  name?: string | null;
  kpi_targets?: Record<string, unknown> | null;
  retention?: Record<string, unknown> | null;
  is_active?: boolean | null;
  features?: Record<string, unknown> | null;
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
