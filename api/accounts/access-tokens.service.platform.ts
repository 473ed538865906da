import { notFound } from '../../core/errors/app-error.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { issueAccessToken, revokeAccessToken } from '../../models/accounts/tokens/access-token.platform.js';
import { listAccessTokens } from '../../models/accounts/tokens/access-token.platform.js';
import type { AccessTokenRow, TokenKind } from '../../models/accounts/tokens/access-token.types.js';
import { findActiveTenantAsAdmin } from '../../models/accounts/principal.platform.js';
import type { Principal } from '../../models/accounts/principal.types.js';
import type { Actor } from '../../models/audit/audit.types.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { AuthTransaction } from '../../models/orm/transaction.js';
import { newAccessToken } from '../auth/access-token-text.js';
import type { SessionCache } from '../auth/session-cache.js';

export interface WantedToken {
  readonly kind: TokenKind;
  readonly tenantCode: string;
  readonly name: string;
  readonly isReadOnly: boolean;
  readonly expiresInDays?: number;
}

/** A person's tokens for the tracker and the container registry. */
export class AccessTokensService {
  constructor(
    private readonly db: Database,
    private readonly cache: SessionCache,
    private readonly keys: KeyRing,
  ) {}

  /** @throws AppError not_found for a tenant one does not belong to, conflict with too many tokens */
  async create(
    actor: Actor,
    principal: Principal,
    wanted: WantedToken,
  ): Promise<{ row: AccessTokenRow; token: string }> {
    const { token, hash } = newAccessToken(this.keys, wanted.kind);
    const row = await this.db.inAuth(async (tx) => {
      const tenantId = await tenantOf(tx, principal, wanted.tenantCode.trim().toLowerCase());
      return issueAccessToken(
        tx,
        actor,
        principal.userId,
        { ...wanted, tenantId, tokenHash: hash },
        new Date(),
      );
    });
    return { row, token };
  }

  list(principal: Principal): Promise<{ items: AccessTokenRow[]; total: number }> {
    return this.db.inAuth((tx) => listAccessTokens(tx, principal.userId));
  }

  async revoke(actor: Actor, principal: Principal, tokenId: string): Promise<void> {
    await this.db.inAuth((tx) => revokeAccessToken(tx, actor, principal.userId, tokenId));
    this.cache.drop({ tokenId });
  }
}

async function tenantOf(tx: AuthTransaction, principal: Principal, code: string): Promise<string> {
  const member =
    principal.tenants.get(code) ?? (principal.isGlobalAdmin ? await findActiveTenantAsAdmin(tx, code) : null);
  if (!member) throw notFound('Tenant');
  return member.tenantId;
}
