import type { Request } from 'express';
import type { Permission } from '../../../models/access/permission.rules.js';
import type { TenantAccess } from '../../../models/accounts/principal.types.js';
import type { TokenHolder } from '../../../models/accounts/tokens/access-token.types.js';
import type { Actor } from '../../../models/audit/audit.types.js';
import { requireTokenPermission, type TokenAuthenticator } from '../../auth/token-authenticator.js';
import { callerAddress } from '../../http/routing/caller-address.js';

/** Who calls the tracker, and in which tenant. */
export interface TrackerCaller {
  readonly tenant: TenantAccess;
  readonly actor: Actor;
  /** @throws AppError forbidden */
  require(permission: Permission): void;
  may(permission: Permission): boolean;
}

/** People, by the token they made for the tracker: as a bearer token, or as the password of Basic credentials. */
export class TrackerCallers {
  constructor(private readonly tokens: TokenAuthenticator) {}

  /** @throws AppError unauthorized, forbidden */
  async identify(req: Request, permission: Permission): Promise<TrackerCaller> {
    const holder = await this.tokens.authenticateAccessToken('tracker', sentToken(req));
    requireTokenPermission(holder, permission);
    return callerOf(holder, req);
  }
}

function callerOf(holder: TokenHolder, req: Request): TrackerCaller {
  const { userId, email, fullName, tenant } = holder;
  const require = (permission: Permission) => requireTokenPermission(holder, permission);
  return {
    tenant,
    actor: { id: userId, email, fullName, ip: callerAddress(req) },
    require,
    may(permission) {
      try {
        require(permission);
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** Whether the call comes from a person's client and not from a training job. */
export const isPersonsCall = (req: Request): boolean => sentToken(req).startsWith('votr_');

function sentToken(req: Request): string {
  const header = req.headers.authorization ?? '';
  const bearer = /^Bearer +([^ ]{1,512})$/i.exec(header)?.[1];
  if (bearer !== undefined) return bearer;
  const basic = /^Basic +([A-Za-z0-9+/=]{1,1024})$/i.exec(header)?.[1];
  if (basic === undefined) return '';
  const pair = Buffer.from(basic, 'base64').toString();
  return pair.slice(pair.indexOf(':') + 1);
}
