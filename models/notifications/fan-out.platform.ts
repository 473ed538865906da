import type { Database } from '../orm/in-tenant.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { type Shown, takeRequests, writeEntries } from './fan-out.sql.js';
import type { MailPace } from './mail-pace.rules.js';
import type { Hint } from './notification-event.js';
import { lockNotifications } from './notification-lock.js';
import { joinRequests } from './joined-requests.rules.js';
import { countUnreadOf } from './unread.sql.js';

export interface FanOut {
  /** Requests taken; fewer than asked for: none are left. */
  readonly taken: number;
  /** Somebody's latest entry of a kind; for the hint to those who watch. */
  readonly hints: readonly Hint[];
}

/**
 * Entries written by one statement, each for everybody it is for: keeps it short in tenants of many people.
 */
const AT_ONCE = 50;

/**
 * Turns up to `limit` requests into entries of everybody they are for, in a fixed number of statements
 * whatever the number of people. One at a time on the whole platform: whoever comes second waits, so that
 * repeats always find their entry.
 */
export async function fanOut(
  tx: PlatformTransaction,
  now: Date,
  limit: number,
  pace: MailPace,
): Promise<FanOut> {
  await lockNotifications(tx);
  const requests = await takeRequests(tx, limit);
  const entries = joinRequests(requests.sort((a, b) => a.id - b.id));
  if (entries.length === 0) return { taken: requests.length, hints: [] };
  const shown: Shown[] = [];
  for (let at = 0; at < entries.length; at += AT_ONCE)
    shown.push(...(await writeEntries(tx, entries.slice(at, at + AT_ONCE), now, pace)));
  const unread = await countUnreadOf(tx, [...new Set(shown.map((row) => row.userId))]);
  return {
    taken: requests.length,
    hints: shown.map((row) => ({ ...row, unread: unread.get(row.userId) ?? 0 })),
  };
}

/** As `fanOut`, in a transaction of its own. */
export const fanOutRequests = (db: Database, now: Date, limit: number, pace: MailPace): Promise<FanOut> =>
  db.inPlatform((tx) => fanOut(tx, now, limit, pace));
