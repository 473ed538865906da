import type { Transaction } from '../orm/transaction.js';
import { kindOf } from './notification-catalog.rules.js';
import type { NewNotification } from './notification.types.js';

const MAX_TITLE = 200;
const MAX_BODY = 2000;
const MAX_SUBJECT = 200;

/**
 * Tells people of something, in the transaction of what happened: one append, whoever and however many they are. A worker
 * finds the people, joins repeats and sends mails soon after the commit.
 * @param tenantId null for what concerns the platform itself or one person
 * @throws TypeError for a kind that is not in the catalog
 */
export const notify = (tx: Transaction, tenantId: string | null, notification: NewNotification): Promise<void> => notifyAll(tx, tenantId, [notification]);

/** As `notify`, for many in one statement. */
export async function notifyAll(tx: Transaction, tenantId: string | null, notifications: readonly NewNotification[]): Promise<void> {
  for (const { kind } of notifications) if (!kindOf(kind)) throw new TypeError(`no kind of notification: ${kind}`);
  if (notifications.length === 0) return;
  await tx.execute(
    `insert into notification_request (tenant_id, kind, subject, user_id, title, body, link)
     select $1, kind, subject, person, title, body, link
     from unnest($2::text[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::text[]) with ordinality as n (kind, subject, person, title, body, link, place) order by place`,
    [
      tenantId,
      notifications.map((each) => each.kind),
      notifications.map((each) => each.subject.slice(0, MAX_SUBJECT)),
      notifications.map((each) => each.userId),
      notifications.map((each) => plain(each.title, MAX_TITLE)),
      notifications.map((each) => plain(each.body, MAX_BODY)),
      notifications.map((each) => each.link),
    ],
  );
}

/** Names and messages come from people and programs: control characters would break lines of mails, and NUL is no text. */
const plain = (text: string, most: number): string => {
  const clean = text.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ').trim();
  return clean.length <= most ? clean : `${clean.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
};
