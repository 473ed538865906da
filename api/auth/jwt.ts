import { jwtVerify, SignJWT } from 'jose';
import { deriveKey, type KeyRing } from '../../core/security/key-ring.js';
import { isUuid } from '../../core/security/ids.js';

/** Audience of access tokens, as FastAPI-Users names it. */
const AUDIENCE = 'fastapi-users:auth';

/** Signs and reads access tokens: HS256, claims sub, aud, iat, jti, and exp only when sessions expire. */
export class AccessTokens {
  constructor(private readonly keys: KeyRing) {}

  async issue(userId: string, sessionId: string, lifetimeS: number): Promise<string> {
    const { id, key } = deriveKey(this.keys, 'jwt');
    const token = new SignJWT({})
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: id })
      .setSubject(userId)
      .setAudience([AUDIENCE])
      .setIssuedAt()
      .setJti(sessionId);
    return (lifetimeS > 0 ? token.setExpirationTime(`${lifetimeS}s`) : token).sign(key);
  }

  /** @returns the session id and user the token stands for, or null for anything not signed by us for this purpose */
  async read(token: string): Promise<{ sessionId: string; userId: string } | null> {
    try {
      const { payload } = await jwtVerify(token, (header) => deriveKey(this.keys, 'jwt', header.kid).key, {
        algorithms: ['HS256'],
        audience: AUDIENCE,
      });
      if (
        typeof payload.jti !== 'string' ||
        typeof payload.sub !== 'string' ||
        !isUuid(payload.jti) ||
        !isUuid(payload.sub)
      )
        return null;
      return { sessionId: payload.jti, userId: payload.sub };
    } catch {
      return null;
    }
  }
}
