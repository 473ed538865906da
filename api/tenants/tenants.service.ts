import type { Principal } from '../../models/accounts/principal.types.js';
import type { Actor } from '../../models/audit/audit.types.js';
import { raisePolicyRevisions } from '../../models/edge/policy/policy-revisions.sql.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { type Feature, FEATURES } from '../../models/features/feature-catalog.js';
import {
  createTenant,
  type NewTenant,
  type TenantChanges,
  updateTenant,
} from '../../models/tenants/tenant.commands.platform.js';
import {
  listTenants,
  listTenantsAsAdmin,
  listTenantsOfUser,
  type TenantOfCaller,
  type TenantRow,
} from '../../models/tenants/tenant.platform.js';
import type { SessionCache } from '../auth/session-cache.js';

/** Tenants as their members see them, and their settings as global administrators do. */
export class TenantsService {
  constructor(
    private readonly db: Database,
    private readonly cache: SessionCache,
  ) {}

  tenantsOf({ isGlobalAdmin, userId }: Principal): Promise<{ items: TenantOfCaller[]; total: number }> {
    return isGlobalAdmin ? listTenantsAsAdmin(this.db) : listTenantsOfUser(this.db, userId);
  }

  features(): { items: Feature[]; total: number } {
    return { items: [...FEATURES], total: FEATURES.length };
  }

  list(): Promise<{ items: TenantRow[]; total: number }> {
    return listTenants(this.db);
  }

  create(actor: Actor, wanted: NewTenant): Promise<TenantRow> {
    return createTenant(this.db, actor, wanted);
  }

  async update(actor: Actor, id: string, changes: TenantChanges): Promise<TenantRow> {
    const tenant = await updateTenant(this.db, actor, id, changes, raisePolicyRevisions);
    this.cache.drop({ tenantId: id });
    return tenant;
  }
}
