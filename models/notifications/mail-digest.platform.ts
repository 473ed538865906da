import type { KeyRing } from '../../core/security/key-ring.js';
import type { Database } from '../orm/in-tenant.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { dispatchAll } from '../outbox/dispatch.js';
import { sealMail } from '../outbox/sealed-mail.js';
import { findWaiting, recordDigests, takeDue, type Waiting } from './mail-digest.sql.js';
import { digestMail } from './mail-text.rules.js';
import { lockNotifications } from './notification-lock.js';

/** Age at which an undelivered mail is dropped: it is no longer news. */
const STALE_AFTER_MS = 24 * 3600 * 1000;

/** In how many milliseconds the next mail falls due; null when none waits. */
export const nextDigestDueMs = (db: Database, now: Date): Promise<number | null> =>
  db.inPlatform(async (tx) => {
    const { at } = await tx.kysely
      .selectFrom('notification_mail')
      .select(({ fn }) => fn.min('dueAt').as('at'))
      .executeTakeFirstOrThrow();
    return at === null ? null : at.getTime() - now.getTime();
  });

/** As `writeDigests`, in a transaction of its own. */
export const writeDueDigests = (
  db: Database,
  keys: KeyRing,
  baseUrl: string,
  now: Date,
  limit: number,
): Promise<number> => db.inPlatform((tx) => writeDigests(tx, keys, baseUrl, now, limit));

/**
 * Writes one mail for each of up to `limit` people for whom the time has come, of what they have not read
 * meanwhile, may still see and still want. The mails and the note that they were written are one transaction,
 * so that a crash neither loses nor repeats one. @returns how many people were looked at
 */
export async function writeDigests(
  tx: PlatformTransaction,
  keys: KeyRing,
  baseUrl: string,
  now: Date,
  limit: number,
): Promise<number> {
  const due = await tx.kysely
    .selectFrom('notification_mail')
    .select('userId')
    .where('dueAt', '<=', now)
    .orderBy('dueAt')
    .limit(limit)
    .execute();
  if (due.length === 0) return 0;
  await lockNotifications(tx);
  // Asked again under the lock: another worker may have written them meanwhile.
  const asked = due.map((row) => row.userId);
  const people = (await takeDue(tx, asked, now)).map((row) => row.userId);
  const waiting = byPerson(await findWaiting(tx, people));
  const staleAt = new Date(now.getTime() + STALE_AFTER_MS);
  await dispatchAll(
    tx,
    [...waiting.values()].map((entries) => {
      const [first] = entries as [Waiting];
      const mail = digestMail({ email: first.email, entries, total: first.total }, baseUrl);
      return { kind: 'mail', tenantId: null, mail: sealMail(keys, mail, staleAt, true) };
    }),
  );
  await recordDigests(tx, [...waiting.keys()], people, now);
  return people.length;
}

function byPerson(rows: readonly Waiting[]): Map<string, Waiting[]> {
  const people = new Map<string, Waiting[]>();
  for (const row of rows) people.set(row.userId, [...(people.get(row.userId) ?? []), row]);
  return people;
}
