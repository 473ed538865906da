import type { Transaction } from '../orm/transaction.js';
import { kindOf } from './notification-catalog.rules.js';
import type { NewNotification } from './notification.types.js';
import { insertRequests } from './notify.sql.js';

const MAX_TITLE = 200;
const MAX_BODY = 2000;
const MAX_SUBJECT = 200;

/**
 * Notifies people of something, in the transaction of what happened: one append, whoever and however many they
 * are. A worker finds the people, joins repeats and sends mails soon after the commit.
 * @param tenantId null for what concerns the platform itself or one person
 * @throws TypeError for a kind that is not in the catalog
 */
export const notify = (
  tx: Transaction,
  tenantId: string | null,
  notification: NewNotification,
): Promise<void> => notifyAll(tx, tenantId, [notification]);

/** As `notify`, for many in one statement. */
export async function notifyAll(
  tx: Transaction,
  tenantId: string | null,
  notifications: readonly NewNotification[],
): Promise<void> {
  for (const { kind } of notifications)
    if (!kindOf(kind)) throw new TypeError(`no kind of notification: ${kind}`);
  if (notifications.length === 0) return;
  const short = notifications.map((each) => ({
    ...each,
    subject: each.subject.slice(0, MAX_SUBJECT),
    title: plain(each.title, MAX_TITLE),
    body: plain(each.body, MAX_BODY),
  }));
  await insertRequests(tx, tenantId, short);
}

/**
 * Names and messages come from people and programs: control characters would break lines of mails, and NUL is
 * no text.
 */
const plain = (text: string, most: number): string => {
  const clean = text.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ').trim();
  return clean.length <= most ? clean : `${clean.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
};
