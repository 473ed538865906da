import type { LineText, TenantCodeText } from '../http/routing/parameters.js';

export type TokenKindName = 'tracker' | 'registry';

/** A token for the experiment tracker or for the container registry, in one tenant. */
export interface AccessTokenCreate {
  kind: TokenKindName;
  tenant_code: TenantCodeText;
  /** What it is for, for yourself. */
  name: LineText;
  /** True: the token only reads, whatever your role may do. */
  read_only?: boolean;
  /**
   * @isInt
   * @minimum 1
   * @maximum 3650
   * @default 90
   */
  expires_in_days?: number;
}

export interface AccessTokenOut {
  id: string;
  kind: TokenKindName;
  tenant_code: string;
  name: string;
  read_only: boolean;
  created_at: string;
  expires_at: string;
  /** To the minute; null while it was never used. */
  last_used_at: string | null;
}

/** The only answer that carries the token itself: it is not stored and cannot be shown again. */
export interface AccessTokenCreated extends AccessTokenOut {
  token: string;
}

export interface AccessTokenList {
  items: AccessTokenOut[];
  total: number;
}
