import { forbidden, unauthorized } from '../../core/errors/app-error.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { useAccessToken } from '../../models/accounts/tokens/access-token.platform.js';
import type { TokenHolder, TokenKind } from '../../models/accounts/tokens/access-token.types.js';
import { type Permission, roleGrants } from '../../models/access/permission.rules.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { accessTokenHashes } from './access-token-text.js';
import type { SessionCache } from './session-cache.js';

/** Who calls the tracker or the container registry with a token of theirs. Warm, it runs no SQL. */
export class TokenAuthenticator {
  constructor(
    private readonly db: Database,
    private readonly keys: KeyRing,
    private readonly cache: SessionCache,
  ) {}

  /**
   * @param token as it was sent, without the scheme in front
   * @throws AppError unauthorized for anything that is not a living token of this kind
   */
  async authenticateAccessToken(kind: TokenKind, token: string): Promise<TokenHolder> {
    const holder = await this.cache.find(`token:${kind}:${token}`, async () => {
      const hashes = accessTokenHashes(this.keys, kind, token);
      if (hashes.length === 0) return null;
      return useAccessToken(this.db, kind, hashes, new Date());
    });
    if (!holder)
      throw unauthorized(
        `Send a ${kind} token of yours; it may have expired, or you lost your role in its tenant.`,
      );
    return holder;
  }
}

/** Rights are those of the role at the time of use; a token that only reads has VIEW alone. @throws AppError forbidden */
export function requireTokenPermission(holder: TokenHolder, permission: Permission): void {
  if (holder.isReadOnly && permission !== 'VIEW')
    throw forbidden('This token only reads.', { required: permission });
  if (!roleGrants(holder.tenant.role, permission))
    throw forbidden(`Your role ${holder.tenant.role} in this tenant does not include ${permission}.`, {
      required: permission,
    });
}
