import { createHash } from 'node:crypto';
import { type JWTHeaderParameters, type JWTVerifyOptions, jwtVerify, SignJWT } from 'jose';
import { isUuid } from '../../core/security/ids.js';
import { deriveKey, type KeyRing } from '../../core/security/key-ring.js';

const RESET = 'fastapi-users:reset';
const VERIFY = 'fastapi-users:verify';
export const MAIL_TOKEN_LIFETIME_S = 3600;

/** What of a stored password a reset token is bound to: it dies with the first change of the password. */
export const passwordFingerprint = (passwordHash: string): string => createHash('sha256').update(passwordHash).digest('base64url');

/** Tokens that reach people by mail, to reset a password and to verify an address. Signed, for one hour, nothing stored. */
export class MailTokens {
  constructor(private readonly keys: KeyRing) {}

  issueReset(userId: string, passwordHash: string): Promise<string> {
    return this.sign(RESET, userId, { password_fgpt: passwordFingerprint(passwordHash) });
  }

  issueVerify(userId: string, email: string): Promise<string> {
    return this.sign(VERIFY, userId, { email });
  }

  /** @returns null for anything not signed by us for this purpose, or too old */
  async readReset(token: string): Promise<{ userId: string; fingerprint: string } | null> {
    const claims = await this.read(RESET, token);
    return claims && typeof claims.password_fgpt === 'string' ? { userId: claims.sub, fingerprint: claims.password_fgpt } : null;
  }

  async readVerify(token: string): Promise<{ userId: string; email: string } | null> {
    const claims = await this.read(VERIFY, token);
    return claims && typeof claims.email === 'string' ? { userId: claims.sub, email: claims.email } : null;
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

  private async read(audience: string, token: string): Promise<(Record<string, unknown> & { sub: string }) | null> {
    try {
      const options = { algorithms: ['HS256'], audience, requiredClaims: ['exp'] } satisfies JWTVerifyOptions;
      const { payload } = await jwtVerify(token, (header: JWTHeaderParameters) => deriveKey(this.keys, 'jwt', header.kid).key, options);
      return typeof payload.sub === 'string' && isUuid(payload.sub) ? { ...payload, sub: payload.sub } : null;
    } catch {
      return null;
    }
  }
}
