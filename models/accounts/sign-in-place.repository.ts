import { createHash } from 'node:crypto';
import type { PlatformTransaction } from '../orm/transaction.js';

const KEPT_DAYS = 90;
const BATCH = 5000;
/** Of one account; the oldest make room. */
const MAX_PLACES = 100;
/** `seen_at` is exact to a day: a sign-in writes nothing where it is younger. */
const EXACT_TO = "interval '1 day'";

/** Bound to the account, so that rows of two accounts do not tell that they share an address. */
const hashOf = (userId: string, address: string): string => createHash('sha256').update(`${userId}|${address}`).digest('hex');

/** Remembers for 90 days that the account was signed in to from this address. */
export async function rememberPlace(tx: PlatformTransaction, userId: string, address: string): Promise<void> {
  const written = await tx.execute(
    `insert into sign_in_place as p (user_id, address_hash) select id, $2 from user_account where id = $1
     on conflict (user_id, address_hash) do update set seen_at = now() where p.seen_at < now() - ${EXACT_TO}`,
    [userId, hashOf(userId, address)],
  );
  if (written === 0) return;
  await tx.execute(
    `delete from sign_in_place where user_id = $1
       and address_hash in (select address_hash from sign_in_place where user_id = $1 order by seen_at desc, address_hash offset ${MAX_PLACES})`,
    [userId],
  );
}

/** Whether the account was signed in to from this address within 90 days. @param email whatever its case */
export async function isKnownPlace(tx: PlatformTransaction, email: string, address: string): Promise<boolean> {
  const [user] = await tx.query<{ id: string }>('select id from user_account where lower(email) = lower($1)', [email]);
  if (!user) return false;
  const rows = await tx.query(`select 1 from sign_in_place where user_id = $1 and address_hash = $2 and seen_at > now() - interval '${KEPT_DAYS} days'`, [
    user.id,
    hashOf(user.id, address),
  ]);
  return rows.length > 0;
}

/** @returns how many went, at most 5000 */
export const removeOldPlaces = (tx: PlatformTransaction): Promise<number> =>
  tx.execute(
    `delete from sign_in_place where (user_id, address_hash) in
       (select user_id, address_hash from sign_in_place where seen_at < now() - interval '${KEPT_DAYS} days' limit $1)`,
    [BATCH],
  );
