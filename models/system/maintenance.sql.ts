import type { Transaction } from '../orm/transaction.js';

const BATCH = 5000;

/** @returns how many sign-ins were removed, at most 5000 */
export const removeExpiredSessions = (tx: Transaction, now: Date): Promise<number> =>
  tx.execute(
    `delete from auth_session -- bulk: whatever expired since the last hour
     where id in (select id from auth_session where expires_at < $1 limit $2)`,
    [now, BATCH],
  );

/** @returns how many counters were removed, at most 5000 */
export const removeAttemptLimitsOver = (tx: Transaction, now: Date): Promise<number> =>
  tx.execute(
    `delete from attempt_limit -- bulk: whatever ended since the last hour
     where key in (select key from attempt_limit where resets_at < $1 limit $2)`,
    [now, BATCH],
  );

/** @returns how many tokens were removed, at most 5000 */
export const removeTokensExpiredBefore = (tx: Transaction, before: Date): Promise<number> =>
  tx.execute(
    `delete from access_token -- bulk: whatever expired since the last hour
     where id in (select id from access_token where expires_at < $1 limit $2)`,
    [before, BATCH],
  );

/**
 * Keys of activities whose workflow history the engine has forgotten; nothing can repeat those any more.
 * @returns how many were removed, at most 5000
 */
export const removeEffectsBefore = (tx: Transaction, before: Date): Promise<number> =>
  tx.execute(
    `delete from activity_effect -- bulk: every effect of the oldest hour
     where (workflow_id, activity_id) in (
       select workflow_id, activity_id from activity_effect where at < $1 limit $2)`,
    [before, BATCH],
  );
