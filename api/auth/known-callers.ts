import type { AuthChange } from '../../models/access/auth-change.js';
import type { TokenHolder } from '../../models/accounts/tokens/access-token.types.js';
import type { DeviceCaller } from '../../models/edge/devices/device-caller.types.js';
import type { Principal, TenantAccess } from '../../models/accounts/principal.types.js';

/** What is cached: who holds a session, who holds a token, a device, and a tenant that a global administrator visits. */
export type KnownCaller = Principal | TokenHolder | DeviceCaller | TenantAccess;

/** What a caller was loaded from: a change of any of these makes it stale. */
export function sourcesOf(caller: KnownCaller): string[] {
  if ('deviceId' in caller) return [`device:${caller.deviceId}`, `tenant:${caller.tenantId}`];
  const people = 'userId' in caller ? [`user:${caller.userId}`] : [];
  if ('sessionId' in caller)
    return [...people, `session:${caller.sessionId}`, ...caller.memberOf.map((id) => `tenant:${id}`)];
  if ('tokenId' in caller) return [...people, `token:${caller.tokenId}`, `tenant:${caller.tenant.tenantId}`];
  return [`tenant:${caller.tenantId}`];
}

/** The same names for what a change is about. */
export function sourcesIn({ userId, sessionId, tenantId, tokenId, deviceId }: AuthChange): string[] {
  const named = { user: userId, session: sessionId, tenant: tenantId, token: tokenId, device: deviceId };
  return Object.entries(named).flatMap(([kind, id]) => (id === undefined ? [] : [`${kind}:${id}`]));
}
