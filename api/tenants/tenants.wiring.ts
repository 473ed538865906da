import type { Backing, DomainPart } from '../backing.js';
import { TenantSettingsController } from './tenant-settings.controller.js';
import { TenantsController } from './tenants.controller.js';
import { TenantsService } from './tenants.service.js';

/** Tenants and their settings. */
export function wireTenants({ db, cache }: Backing): DomainPart {
  const tenants = new TenantsService(db, cache);
  return {
    controllers: [
      [TenantsController, () => new TenantsController(tenants)],
      [TenantSettingsController, () => new TenantSettingsController(tenants)],
    ],
  };
}
