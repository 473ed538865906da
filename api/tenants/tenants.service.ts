import type { Principal } from '../../models/accounts/principal.types.js';
import type { Actor } from '../../models/audit/audit.types.js';
import type { Database } from '../../models/orm/database.js';
import { createTenant, type NewTenant, type TenantChanges, updateTenant } from '../../models/tenants/tenant.commands.js';
import { listTenants, listTenantsAsAdmin, listTenantsOfUser, type TenantOfCaller, type TenantRow } from '../../models/tenants/tenant.repository.js';
import { type Feature, FEATURES } from '../../models/tenants/feature-catalog.js';
import type { SessionCache } from '../auth/session-cache.js';

/** Tenants as their members see them, and their settings as global administrators do. */
export class TenantsService {
  constructor(
    private readonly db: Database,
    private readonly cache: SessionCache,
  ) {}

  tenantsOf(principal: Principal): Promise<{ items: TenantOfCaller[]; total: number }> {
    return this.db.inPlatform((tx) => (principal.isGlobalAdmin ? listTenantsAsAdmin(tx) : listTenantsOfUser(tx, principal.userId)));
  }

  features(): { items: Feature[]; total: number } {
    return { items: [...FEATURES], total: FEATURES.length };
  }

  list(): Promise<{ items: TenantRow[]; total: number }> {
    return this.db.inPlatform(listTenants);
  }

  create(actor: Actor, wanted: NewTenant): Promise<TenantRow> {
    return this.db.inPlatform((tx) => createTenant(tx, actor, wanted));
  }

  async update(actor: Actor, id: string, changes: TenantChanges): Promise<TenantRow> {
    const tenant = await this.db.inPlatform((tx) => updateTenant(tx, actor, id, changes));
    this.cache.drop({ tenantId: id });
    return tenant;
  }
}
