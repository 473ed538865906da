import { sql } from 'kysely';
import type { Transaction } from '../orm/transaction.js';
import type { NewSession } from './auth-session.types.js';

/** `last_used_at` of `auth_session as s` is exact to two minutes in the database, so that requests seldom write. */
export const IS_USE_STALE = sql<boolean>`s.last_used_at < now() - interval '2 minutes'`;

/** Records uses of sessions, by their ids; leaves out those that somebody else is changing right now, so that nobody waits. */
export async function recordSessionUses(tx: Transaction, uses: ReadonlyMap<string, Date>): Promise<void> {
  if (uses.size === 0) return;
  await tx.execute(
    `-- hot: with requests
     with free as (select id from auth_session where id = any($1) for update skip locked)
     update auth_session s set last_used_at = u.at
     from free join unnest($1::uuid[], $2::timestamptz[]) as u (id, at) using (id)
     where s.id = free.id and s.last_used_at < u.at`,
    [[...uses.keys()], [...uses.values()]],
  );
}

/** Opens a session while the account is active and still has the password that was checked. @returns its id, or null */
export async function openSession(tx: Transaction, session: NewSession): Promise<string | null> {
  const [opened] = await tx.rows<{ id: string }>(
    `-- hot: with every sign-in; the account is held by the same statement
     with account as (
       select id from user_account where id = $1 and is_active and password_hash = $7 for share)
     insert into auth_session (user_id, kind, token_hash, expires_at, ip, user_agent)
     select id, $2, $3, $4, $5, $6 from account returning id`,
    [
      session.userId,
      session.kind,
      session.tokenHash,
      session.expiresAt,
      session.ip,
      session.userAgent?.slice(0, 300) ?? null,
      session.passwordHash,
    ],
  );
  return opened?.id ?? null;
}

/** Ends the sessions used longest ago beside one, but for as many as are kept. @returns their ids */
export async function endLeastUsed(
  tx: Transaction,
  { userId, beside, kept }: { readonly userId: string; readonly beside: string; readonly kept: number },
): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(
    `-- set: whatever is beyond the limit
     delete from auth_session where id in (
       select id from auth_session where user_id = $1 and id <> $2 order by last_used_at desc, id offset $3)
     returning id`,
    [userId, beside, kept],
  );
  return rows.map(({ id }) => id);
}

/** @param except a session that stays, or null. @returns how many were ended */
export const endSessionsOf = (tx: Transaction, userId: string, except: string | null): Promise<number> =>
  tx.execute(
    `-- set: all of an account
     delete from auth_session where user_id = $1 and id is distinct from $2::uuid`,
    [userId, except],
  );
