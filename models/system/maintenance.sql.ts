import type { Transaction } from '../orm/transaction.js';

const BATCH = 5000;

/** Removes rows whose time in `ends` is before the given one. @returns how many were removed, at most 5000 */
const removeEnded =
  (table: string, key: string, ends: string) =>
  (tx: Transaction, before: Date): Promise<number> =>
    tx.execute(
      `delete from ${table} -- bulk: whatever ended since the last hour
       where ${key} in (select ${key} from ${table} where ${ends} < $1 limit $2)`,
      [before, BATCH],
    );

export const removeExpiredSessions = removeEnded('auth_session', 'id', 'expires_at');
export const removeAttemptLimitsOver = removeEnded('attempt_limit', 'key', 'resets_at');
export const removeTokensExpiredBefore = removeEnded('access_token', 'id', 'expires_at');

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
