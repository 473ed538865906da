import { AccessTokens } from '../../api/auth/jwt.js';
import { parseKeyRing } from '../../core/security/key-ring.js';
import { deleteSession, insertSession } from '../../models/accounts/auth-session.platform.js';
import { announceAuthChange } from '../../models/access/auth-change.js';
import { requireAdministrator } from '../commands/password.platform.js';
import { withPlatformDatabase } from '../commands/platform-database.js';
import { EngineError } from '../engines/engine.js';
import { ensureSecrets } from '../supervisor/secrets.js';

const LIFETIME_S = 2 * 3600;

/**
 * Signs the administrator in for one command. Whoever may read the data directory's secrets owns the platform, and the
 * generated password is not kept anywhere, so the session is made as the API makes it rather than by a password.
 */
export async function withAdministratorToken<T>(
  dataDir: string,
  email: string,
  work: (token: string) => Promise<T>,
): Promise<T> {
  const keys = parseKeyRing(process.env.SERVICE_SECRET_KEYS || ensureSecrets(dataDir).secretKeys);
  const { userId, sessionId } = await openSession(dataDir, email);
  try {
    return await work(await new AccessTokens(keys).issue(userId, sessionId, LIFETIME_S));
  } finally {
    await closeSession(dataDir, sessionId);
  }
}

const openSession = (dataDir: string, email: string): Promise<{ userId: string; sessionId: string }> =>
  withPlatformDatabase(dataDir, (db) =>
    db.inPlatform(async (tx) => {
      const user = await requireAdministrator(tx, email);
      const expiresAt = new Date(Date.now() + LIFETIME_S * 1000);
      const sessionId = await insertSession(tx, {
        userId: user.id,
        passwordHash: user.passwordHash,
        kind: 'jwt',
        tokenHash: null,
        expiresAt,
        ip: '127.0.0.1',
        userAgent: 'visionops sample',
      });
      if (sessionId === null)
        throw new EngineError(
          `The account ${email} is not active: activate it, or name another administrator with SERVICE_INIT_ADMIN_EMAIL.`,
        );
      return { userId: user.id, sessionId };
    }),
  );

const closeSession = (dataDir: string, sessionId: string): Promise<void> =>
  withPlatformDatabase(dataDir, (db) =>
    db.inPlatform(async (tx) => {
      await deleteSession(tx, sessionId);
      await announceAuthChange(tx, { sessionId });
    }),
  );
