import type { PlatformTransaction } from '../orm/transaction.js';

const BATCH = 5000;

/** @returns how many sign-ins were removed, at most 5000 */
export const removeExpiredSessions = (tx: PlatformTransaction, now: Date): Promise<number> =>
  tx.execute('delete from auth_session where id in (select id from auth_session where expires_at < $1 limit $2)', [now, BATCH]);

/** @returns how many counters were removed, at most 5000 */
export const removeAttemptLimitsOver = (tx: PlatformTransaction, now: Date): Promise<number> =>
  tx.execute('delete from attempt_limit where key in (select key from attempt_limit where resets_at < $1 limit $2)', [now, BATCH]);

/** @returns how many tokens were removed, at most 5000 */
export const removeTokensExpiredBefore = (tx: PlatformTransaction, before: Date): Promise<number> =>
  tx.execute('delete from access_token where id in (select id from access_token where expires_at < $1 limit $2)', [before, BATCH]);

/**
 * Keys of activities whose workflow history the engine has forgotten; nothing can repeat those any more.
 * @returns how many were removed, at most 5000
 */
export const removeEffectsBefore = (tx: PlatformTransaction, before: Date): Promise<number> =>
  tx.execute('delete from activity_effect where (workflow_id, activity_id) in (select workflow_id, activity_id from activity_effect where at < $1 limit $2)', [before, BATCH]);
