import type { TenantAccess } from '../principal.types.js';

export const TOKEN_KINDS = ['tracker', 'registry'] as const;
/** The interface that a token opens; it opens no other, and never the REST API. */
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** A token as its owner sees it: everything but the secret, which is not stored. */
export interface AccessTokenRow {
  id: string;
  kind: TokenKind;
  tenantCode: string;
  name: string;
  readOnly: boolean;
  createdAt: Date;
  expiresAt: Date;
  /** To the minute; null while it was never used. */
  lastUsedAt: Date | null;
}

/** Who calls with a token: the rights are those of the person's role in the token's tenant right now. */
export interface TokenHolder {
  readonly tokenId: string;
  readonly kind: TokenKind;
  readonly isReadOnly: boolean;
  readonly expiresAt: Date;
  readonly userId: string;
  readonly email: string;
  readonly fullName: string | null;
  readonly tenant: TenantAccess;
}

/** A token whose owner should hear of its end. */
export interface ExpiringToken {
  id: string;
  tenantId: string;
  userId: string;
  kind: TokenKind;
  name: string;
  expiresAt: Date;
}
