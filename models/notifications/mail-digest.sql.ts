import type { Transaction } from '../orm/transaction.js';
import { featureDefault } from '../features/feature-catalog.js';
import { MAX_MAILED, type MailedEntry } from './mail-text.rules.js';
import { NOTIFICATION_GROUPS, NOTIFICATION_KINDS } from './notification-catalog.rules.js';
import { visible, visibleParams } from './unread.sql.js';

/** An entry that a person is to be mailed, with the number of all of theirs. */
export type Waiting = MailedEntry & { userId: string; email: string; total: number };

/** The latest entries of each person that are to be mailed, with the number of all of them. */
export function findWaiting(tx: Transaction, people: readonly string[]): Promise<Waiting[]> {
  const groups = NOTIFICATION_KINDS.map(({ group }) => group);
  return tx.rows<Waiting>(
    `select user_id, email, kind, title, body, link, count, tenant_id, tenant_code, tenant_name, total from (
       select n.user_id, u.email, n.kind, n.title, n.body, n.link, n.count, n.tenant_id,
         t.code as tenant_code, t.name as tenant_name, n.updated_at, n.id,
         count(*) over (partition by n.user_id) as total,
         row_number() over (partition by n.user_id order by n.updated_at desc, n.id desc) as nr
       from notification n join user_account u on u.id = n.user_id and u.is_active
         join unnest($2::text[], $3::text[], $4::boolean[]) as k (kind, pref_group, email) on k.kind = n.kind
         left join tenant t on t.id = n.tenant_id left join notification_preference p on p.user_id = n.user_id
       where n.user_id = any($1) and n.awaits_mail and n.read_at is null
         and coalesce((p.prefs -> k.pref_group ->> 'email')::boolean, k.email)
         and coalesce((t.features ->> 'notification_email')::boolean, $5) and ${visible(6)}) as waiting
     where nr <= ${MAX_MAILED} order by user_id, nr`,
    [
      people,
      NOTIFICATION_KINDS.map(({ key }) => key),
      groups,
      groups.map((key) => NOTIFICATION_GROUPS.find((group) => group.key === key)?.defaults.email),
      featureDefault('notification_email'),
      ...visibleParams(),
    ],
  );
}

/** Takes what is due to these people by now. @returns those for whom something was */
export const takeDue = (
  tx: Transaction,
  people: readonly string[],
  now: Date,
): Promise<{ userId: string }[]> =>
  tx.rows(
    `-- bulk: all people of a round
     update notification_mail set due_at = null where user_id = any($1) and due_at <= $2 returning user_id`,
    [people, now],
  );

/** @param mailed those who get a mail now @param people those of whom nothing waits any more */
export async function recordDigests(
  tx: Transaction,
  mailed: readonly string[],
  people: readonly string[],
  now: Date,
): Promise<void> {
  await tx.execute(
    `-- bulk: all people of a round
     update notification_mail set sent_at = $2 where user_id = any($1)`,
    [mailed, now],
  );
  await tx.execute(
    `-- bulk: all entries of all people of a round
     update notification set awaits_mail = false where user_id = any($1) and awaits_mail`,
    [people],
  );
}
