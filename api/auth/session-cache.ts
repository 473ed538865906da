import type { AuthChange } from '../../models/accounts/auth-change.js';
import type { Principal, TenantAccess } from '../../models/accounts/principal.types.js';

const MAX_ENTRIES = 20_000;
/** A net below the notifications, not the way changes usually arrive. */
const MAX_AGE_MS = 60_000;

interface Entry<T> {
  readonly value: T;
  readonly loadedAt: number;
}

/**
 * Signed-in people and the tenants that global administrators visit, in memory only, by the credential exactly as it was
 * sent. Cold while the notification connection is down, because a revocation could be missed then.
 */
export class SessionCache {
  private readonly principals = new Map<string, Entry<Principal>>();
  private readonly adminTenants = new Map<string, Entry<TenantAccess>>();

  constructor(
    private readonly isListening: () => boolean,
    private readonly now: () => number = Date.now,
  ) {}

  principal(credential: string): Principal | null {
    const found = this.fresh(this.principals, credential);
    if (found?.expiresAt && found.expiresAt.getTime() <= this.now()) return null;
    return found;
  }

  putPrincipal(credential: string, principal: Principal): void {
    this.put(this.principals, credential, principal);
  }

  adminTenant(code: string): TenantAccess | null {
    return this.fresh(this.adminTenants, code);
  }

  putAdminTenant(access: TenantAccess): void {
    this.put(this.adminTenants, access.code, access);
  }

  /** Drops what a change made stale; an empty change drops everything. */
  drop(change: AuthChange): void {
    const all = change.userId === undefined && change.sessionId === undefined && change.tenantId === undefined;
    for (const [key, { value }] of this.principals) {
      const stale = all || value.userId === change.userId || value.sessionId === change.sessionId || this.belongsTo(value, change.tenantId);
      if (stale) this.principals.delete(key);
    }
    if (all || change.tenantId !== undefined) this.adminTenants.clear();
  }

  private belongsTo(principal: Principal, tenantId: string | undefined): boolean {
    if (tenantId === undefined) return false;
    for (const access of principal.tenants.values()) if (access.tenantId === tenantId) return true;
    return false;
  }

  private fresh<T>(map: Map<string, Entry<T>>, key: string): T | null {
    const entry = map.get(key);
    if (!entry || !this.isListening() || this.now() - entry.loadedAt > MAX_AGE_MS) return null;
    return entry.value;
  }

  private put<T>(map: Map<string, Entry<T>>, key: string, value: T): void {
    if (!this.isListening()) return;
    if (map.size >= MAX_ENTRIES) {
      const oldest = map.keys().next();
      if (!oldest.done) map.delete(oldest.value);
    }
    map.set(key, { value, loadedAt: this.now() });
  }
}
