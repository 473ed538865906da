import type { Request } from 'express';
import { AppError, forbidden, notFound, unauthorized } from '../../core/errors/app-error.js';
import { hashToken } from '../../core/security/tokens.js';
import {
  findActiveTenantAsAdmin,
  findPrincipalBySession,
  findPrincipalByToken,
} from '../../models/accounts/principal.platform.js';
import { isPermission, roleGrants } from '../../models/access/permission.rules.js';
import type { Principal, TenantAccess } from '../../models/accounts/principal.types.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { AccessTokens } from './jwt.js';
import type { DeviceAuthenticator } from './device-authenticator.js';
import type { OpenRequests } from './open-requests.js';
import { readSessionCookie } from '../http/guards/session-cookie.js';
import type { SessionCache } from './session-cache.js';

/** Before lower-casing, so that look-alikes such as the Kelvin sign never become a letter. */
const TENANT_CODE = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/i;

/**
 * Decides who calls and whether they may, in this order: 401, 400 tenant missing, 404 foreign tenant,
 * 403 permission. Warm, it runs no SQL.
 */
export class Authenticator {
  constructor(
    private readonly db: Database,
    private readonly tokens: AccessTokens,
    private readonly cache: SessionCache,
    private readonly requests: OpenRequests,
    private readonly devices: DeviceAuthenticator,
  ) {}

  async authenticate(req: Request, access: string, scopes: readonly string[]): Promise<Principal | null> {
    if (access === 'public') return null;
    if (access === 'device') {
      const device = await this.devices.authenticate(req, scopes);
      req.context.device = device;
      for (const owner of [device.tenantId, device.deviceId]) this.requests.enter(owner, req);
      return null;
    }
    const principal = await this.principal(req);
    req.context.principal = principal;
    if (access === 'admin' && !principal.isGlobalAdmin)
      throw forbidden('Only a global administrator may do this.');
    if (access === 'user') {
      const tenant = await this.tenant(req, principal);
      // Before the permission is asked for: the audit row of a refusal names the tenant.
      req.context.access = tenant;
      requirePermission(principal, tenant, scopes);
      this.requests.enter(tenant.tenantId, req);
    }
    return principal;
  }

  /** Whether the request may still be answered, once something about its tenant or its device has changed. */
  async isStillAllowed(req: Request): Promise<boolean> {
    if (req.context.device) return (await this.devices.authenticate(req, [])) !== null;
    return (await this.tenant(req, await this.principal(req))) !== null;
  }

  /** @throws AppError unauthorized without a valid session, for an expired one and for an inactive account */
  async principal(req: Request): Promise<Principal> {
    const header = req.headers.authorization;
    const cookie = readSessionCookie(req.headers.cookie);
    // One that stands for nobody does not spoil the other. The kinds are apart: what one made warm must not open the other.
    const principal =
      (header === undefined ? null : await this.active(`bearer:${header}`, () => this.byBearer(header))) ??
      (cookie === null ? null : await this.active(`cookie:${cookie}`, () => this.byCookie(cookie)));
    if (!principal) throw unauthorized();
    this.cache.recordUse(principal);
    return principal;
  }

  private active(key: string, load: () => Promise<Principal | null>): Promise<Principal | null> {
    return this.cache.find(key, async () => {
      const principal = await load();
      return principal?.isActive ? principal : null;
    });
  }

  private byCookie(token: string): Promise<Principal | null> {
    return this.db.inAuth((tx) => findPrincipalByToken(tx, hashToken(token), new Date()));
  }

  private async byBearer(header: string): Promise<Principal | null> {
    const token = /^Bearer ([A-Za-z0-9_.-]{20,2048})$/i.exec(header)?.[1];
    const claims = token === undefined ? null : await this.tokens.read(token);
    if (!claims) return null;
    const principal = await this.db.inAuth((tx) => findPrincipalBySession(tx, claims.sessionId, new Date()));
    return principal?.userId === claims.userId && principal.sessionKind === 'jwt' ? principal : null;
  }

  /** @throws AppError bad_request without tenant context, not_found for a tenant the caller does not belong to */
  async tenant(req: Request, principal: Principal): Promise<TenantAccess> {
    const code = tenantCode(req);
    if (code === null)
      throw new AppError(
        'bad_request',
        'Tenant context is required: send the header X-Tenant or the query parameter tenant.',
      );
    if (!TENANT_CODE.test(code)) throw notFound('Tenant');
    if (principal.isGlobalAdmin) return this.asAdmin(code.toLowerCase());
    const member = principal.tenants.get(code.toLowerCase());
    if (!member) throw notFound('Tenant');
    return member;
  }

  private async asAdmin(code: string): Promise<TenantAccess> {
    const access = await this.cache.find(`tenant:${code}`, () =>
      this.db.inAuth((tx) => findActiveTenantAsAdmin(tx, code)),
    );
    if (!access) throw notFound('Tenant');
    return access;
  }
}

/** @param alternatives any of which is enough */
function requirePermission(
  principal: Principal,
  tenant: TenantAccess,
  alternatives: readonly string[],
): void {
  const permissions = alternatives.map((permission) => {
    if (!isPermission(permission)) throw new Error(`unknown permission ${permission}`);
    return permission;
  });
  if (permissions.length === 0) throw new Error('no permission is declared');
  if (principal.isGlobalAdmin || permissions.some((permission) => roleGrants(tenant.role, permission)))
    return;
  const permission = permissions.join(' or ');
  throw forbidden(`Your role ${tenant.role} in this tenant does not include ${permission}.`, {
    required: permission,
  });
}

/** The header wins over the query parameter; both are case-insensitive. Repeated values are no tenant. */
function tenantCode(req: Request): string | null {
  const given = req.headers['x-tenant'] ?? req.query.tenant;
  if (typeof given !== 'string' || given.trim() === '') return null;
  return given.trim();
}
