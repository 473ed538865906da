import type { NewTenant, TenantChanges } from '../../models/tenants/tenant.commands.platform.js';
import type { TenantRow } from '../../models/tenants/tenant.platform.js';
import type { SharedDefault, TenantCreate, TenantOut, TenantUpdate } from './tenants.schemas.js';

export const toTenantOut = (row: TenantRow): TenantOut => ({
  id: row.id,
  code: row.code,
  name: row.name,
  kpi_targets: row.kpiTargets as Record<string, number>,
  retention: row.retention,
  features: row.features,
  shared_defaults: row.sharedDefaults as SharedDefault[],
  is_active: row.isActive,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

export const toNewTenant = (body: TenantCreate): NewTenant => ({
  code: body.code,
  name: body.name,
  kpiTargets: body.kpi_targets,
  retention: body.retention,
  features: body.features,
  sharedDefaults: body.shared_defaults,
});

/** Null means "as it is", like a missing key. */
export const toTenantChanges = (body: TenantUpdate): TenantChanges => ({
  name: body.name ?? undefined,
  isActive: body.is_active ?? undefined,
  kpiTargets: body.kpi_targets ?? undefined,
  retention: body.retention ?? undefined,
  features: body.features ?? undefined,
});
