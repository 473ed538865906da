import type { Transaction } from '../../orm/transaction.js';
import type { ExpiringToken } from './access-token.types.js';

/** To the minute, so that calls seldom write. */
export async function recordTokenUse(tx: Transaction, id: string, now: Date): Promise<void> {
  await tx.execute(
    `-- hot: with calls of trackers and registries
     update access_token set last_used_at = $2
     where id = $1 and (last_used_at is null or last_used_at < $2::timestamptz - interval '1 minute')`,
    [id, now],
  );
}

/** For good: a role or an account that comes back does not bring its tokens back. */
export async function deleteAccessTokensOf(tx: Transaction, userId: string): Promise<void> {
  await tx.execute('-- set: all of an account\n delete from access_token where user_id = $1', [userId]);
}

/** Removes the person's tokens of tenants in which no role is left. */
export async function deleteTokensWithoutRole(tx: Transaction, userId: string): Promise<void> {
  await tx.execute(
    `-- set: all that a change of roles strikes
     delete from access_token a where a.user_id = $1 and not exists (
       select 1 from membership m
       where m.user_id = a.user_id and (m.tenant_id = a.tenant_id or m.tenant_id is null))`,
    [userId],
  );
}

/** Marks tokens that end before a moment and whose owners were not notified yet, and answers them; at most `limit`. */
export const claimExpiringTokens = (
  tx: Transaction,
  now: Date,
  before: Date,
  limit: number,
): Promise<ExpiringToken[]> =>
  tx.rows<ExpiringToken>(
    `-- bulk: up to a batch at once
     update access_token set expiry_told_at = $1 where id in (
       select id from access_token where expires_at > $1 and expires_at <= $2 and expiry_told_at is null
       order by expires_at limit $3 for update skip locked)
     returning id, tenant_id, user_id, kind, name, expires_at`,
    [now, before, limit],
  );
