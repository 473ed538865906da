import type { AuthTransaction } from '../orm/transaction.js';
import { announceAuthChange } from '../access/auth-change.js';
import { AuthSession } from './auth-session.entity.js';
import { endLeastUsed, endSessionsOf, openSession } from './auth-session.sql.js';
import type { NewSession, SessionSummary } from './auth-session.types.js';

/** One account has so many open at once; those used longest ago make room. */
const MAX_SESSIONS = 200;

/**
 * Opens a session as long as the account is active and still has the password that was checked: a change in between
 * ends all sessions and must not be outlived by this one.
 * An account keeps the 200 sessions that were used last: without a lifetime none would end by itself.
 * @returns the session's id, or null
 */
export async function insertSession(tx: AuthTransaction, session: NewSession): Promise<string | null> {
  const opened = await openSession(tx, session);
  if (opened === null) return null;
  const { userId } = session;
  const ended = await endLeastUsed(tx, { userId, beside: opened, kept: MAX_SESSIONS - 1 });
  for (const sessionId of ended) await announceAuthChange(tx, { sessionId });
  return opened;
}

/** Sign-ins of one account that are still valid, newest first, with their number. */
export async function listSessions(
  tx: AuthTransaction,
  userId: string,
  now: Date,
): Promise<{ items: SessionSummary[]; total: number }> {
  const items = await tx.kysely
    .selectFrom('auth_session')
    .select(['id', 'kind', 'createdAt', 'expiresAt', 'ip', 'userAgent'])
    .select(({ fn }) => fn.countAll<number>().over().as('total'))
    .where('userId', '=', userId)
    .where(({ eb, or }) => or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)]))
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(MAX_SESSIONS)
    .execute();
  return { items, total: items[0]?.total ?? 0 };
}

export async function deleteSession(tx: AuthTransaction, sessionId: string): Promise<void> {
  await tx.em.nativeDelete(AuthSession, { id: sessionId });
}

/** @param except a session that stays, or null. @returns how many were ended */
export const deleteSessionsOf = (
  tx: AuthTransaction,
  userId: string,
  except: string | null,
): Promise<number> => endSessionsOf(tx, userId, except);
