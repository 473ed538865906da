import type { AuthChange } from '../../models/access/auth-change.js';
import type { TokenHolder } from '../../models/accounts/access-token.types.js';
import type { Principal, TenantAccess } from '../../models/accounts/principal.types.js';

const MAX_ENTRIES = 20_000;
/** A net below the notifications, not the way changes usually arrive. */
const MAX_AGE_MS = 60_000;

interface Entry<T> {
  readonly value: T;
  readonly loadedAt: number;
  usedAt: number;
}

/**
 * Signed-in people, holders of tokens and the tenants that global administrators visit, in memory only, by the kind of the
 * credential and the credential exactly as it was sent. Cold while the notification connection is down, because a revocation could be missed then.
 */
export class SessionCache {
  private changes = 0;
  private readonly principals = new Map<string, Entry<Principal>>();
  private readonly holders = new Map<string, Entry<TokenHolder>>();
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

  /**
   * Names the state before a load. A load that a change overtook is not stored: its rows may be older than the change
   * whose notification has been handled already.
   */
  mark(): number {
    return this.changes;
  }

  putPrincipal(credential: string, principal: Principal, mark: number): void {
    this.put(this.principals, credential, principal, mark);
  }

  tokenHolder(token: string): TokenHolder | null {
    const found = this.fresh(this.holders, token);
    return found && found.expiresAt.getTime() > this.now() ? found : null;
  }

  putTokenHolder(token: string, holder: TokenHolder, mark: number): void {
    this.put(this.holders, token, holder, mark);
  }

  adminTenant(code: string): TenantAccess | null {
    return this.fresh(this.adminTenants, code);
  }

  putAdminTenant(access: TenantAccess, mark: number): void {
    this.put(this.adminTenants, access.code, access, mark);
  }

  /** When the sessions of a person that are known here were used last. */
  usesOf(userId: string): Map<string, Date> {
    const uses = new Map<string, number>();
    for (const { value, usedAt } of this.principals.values())
      if (value.userId === userId)
        uses.set(value.sessionId, Math.max(usedAt, uses.get(value.sessionId) ?? 0));
    return new Map([...uses].map(([id, at]) => [id, new Date(at)]));
  }

  /**
   * Drops what a change made stale; an empty change drops everything. So does a change of a tenant: one that comes back
   * is missing from its members' entries, which therefore cannot be found by it.
   */
  drop(change: AuthChange): void {
    this.changes += 1;
    if (
      change.tenantId !== undefined ||
      (change.userId === undefined && change.sessionId === undefined && change.tokenId === undefined)
    ) {
      this.principals.clear();
      this.holders.clear();
      this.adminTenants.clear();
      return;
    }
    for (const [key, { value }] of this.principals) {
      if (value.userId === change.userId || value.sessionId === change.sessionId) this.principals.delete(key);
    }
    for (const [key, { value }] of this.holders) {
      if (value.userId === change.userId || value.tokenId === change.tokenId) this.holders.delete(key);
    }
  }

  private fresh<T>(map: Map<string, Entry<T>>, key: string): T | null {
    const entry = map.get(key);
    if (!entry || !this.isListening() || this.now() - entry.loadedAt > MAX_AGE_MS) return null;
    entry.usedAt = this.now();
    return entry.value;
  }

  private put<T>(map: Map<string, Entry<T>>, key: string, value: T, mark: number): void {
    if (!this.isListening() || mark !== this.changes) return;
    if (map.size >= MAX_ENTRIES) {
      const oldest = map.keys().next();
      if (!oldest.done) map.delete(oldest.value);
    }
    map.set(key, { value, loadedAt: this.now(), usedAt: this.now() });
  }
}
