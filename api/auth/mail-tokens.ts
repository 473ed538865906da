import { createHash } from 'node:crypto';
import { type JWTHeaderParameters, type JWTVerifyOptions, jwtVerify, SignJWT } from 'jose';
import { isUuid } from '../../core/security/ids.js';
import { deriveKey, type KeyRing } from '../../core/security/key-ring.js';
import type { UserRow } from '../../models/accounts/account.platform.js';

const RESET = 'fastapi-users:reset';
const VERIFY = 'fastapi-users:verify';
export const MAIL_TOKEN_LIFETIME_S = 3600;

/** What of an account mailed tokens are bound to. */
export type TokenHolderState = Pick<
  UserRow,
  'id' | 'email' | 'passwordHash' | 'emailChanges' | 'verificationChanges'
>;

export interface VerifyClaims {
  readonly userId: string;
  readonly email: string;
  readonly fingerprint: string;
}

const digest = (...parts: ReadonlyArray<string | number>): string =>
  createHash('sha256').update(parts.join('|')).digest('base64url');

/** A reset token dies with the first change of the password, and of the address that it was sent to. */
export const resetFingerprint = (user: TokenHolderState): string =>
  digest(user.passwordHash, user.emailChanges);

/** A token that verifies dies with its use, with every change of the address, and of what it would set. */
export const verifyFingerprint = (user: TokenHolderState): string =>
  digest(user.emailChanges, user.verificationChanges);

/** Tokens that reach people by mail, to reset a password and to verify an address. Signed, for one hour, nothing stored. */
export class MailTokens {
  constructor(private readonly keys: KeyRing) {}

  issueReset(user: TokenHolderState): Promise<string> {
    return this.sign(RESET, user.id, { password_fgpt: resetFingerprint(user) });
  }

  issueVerify(user: TokenHolderState): Promise<string> {
    return this.sign(VERIFY, user.id, { email: user.email, address_fgpt: verifyFingerprint(user) });
  }

  /** @returns null for anything not signed by us for this purpose, or too old */
  async readReset(token: string): Promise<{ userId: string; fingerprint: string } | null> {
    const claims = await this.read(RESET, token);
    return claims && typeof claims.password_fgpt === 'string'
      ? { userId: claims.sub, fingerprint: claims.password_fgpt }
      : null;
  }

  async readVerify(token: string): Promise<VerifyClaims | null> {
    const claims = await this.read(VERIFY, token);
    if (typeof claims?.email !== 'string' || typeof claims.address_fgpt !== 'string') return null;
    return { userId: claims.sub, email: claims.email, fingerprint: claims.address_fgpt };
  }

  private sign(audience: string, userId: string, claims: Record<string, string>): Promise<string> {
    const { id, key } = deriveKey(this.keys, 'jwt');
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: id })
      .setSubject(userId)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(`${MAIL_TOKEN_LIFETIME_S}s`)
      .sign(key);
  }

  private async read(
    audience: string,
    token: string,
  ): Promise<(Record<string, unknown> & { sub: string }) | null> {
    try {
      const options = { algorithms: ['HS256'], audience, requiredClaims: ['exp'] } satisfies JWTVerifyOptions;
      const { payload } = await jwtVerify(
        token,
        (header: JWTHeaderParameters) => deriveKey(this.keys, 'jwt', header.kid).key,
        options,
      );
      return typeof payload.sub === 'string' && isUuid(payload.sub) ? { ...payload, sub: payload.sub } : null;
    } catch {
      return null;
    }
  }
}
