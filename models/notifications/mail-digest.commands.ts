import type { KeyRing } from '../../core/security/key-ring.js';
import { dispatchAll } from '../orm/dispatch.js';
import { sealMail } from '../orm/sealed-mail.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { featureDefault } from '../tenants/feature-catalog.js';
import { digestMail, MAX_MAILED, type MailedEntry } from './mail-text.rules.js';
import { NOTIFICATION_GROUPS, NOTIFICATION_KINDS } from './notification-catalog.rules.js';
import { lockNotifications } from './notification-lock.js';
import { visible, visibleParams } from './unread.repository.js';

/** A mail that could not be handed over for so long says nothing new any more. */
const STALE_AFTER_MS = 24 * 3600 * 1000;

type Waiting = MailedEntry & { user_id: string; email: string; total: number };

/**
 * Writes one mail for each of up to `limit` people for whom the time has come, of what they have not read meanwhile, may
 * still see and still want. The mails and the note that they were written are one transaction, so that a crash neither loses
 * nor repeats one. @returns how many people were looked at
 */
export async function writeDigests(tx: PlatformTransaction, keys: KeyRing, baseUrl: string, now: Date, limit: number): Promise<number> {
  const due = await tx.query<{ user_id: string }>('select user_id from notification_mail where due_at <= $1 order by due_at limit $2', [now, limit]);
  if (due.length === 0) return 0;
  await lockNotifications(tx);
  // Asked again under the lock: another worker may have written them meanwhile.
  const taken = await tx.query<{ user_id: string }>('update notification_mail set due_at = null where user_id = any($1) and due_at <= $2 returning user_id', [
    due.map((row) => row.user_id),
    now,
  ]);
  const people = taken.map((row) => row.user_id);
  const waiting = byPerson(await findWaiting(tx, people));
  const staleAt = new Date(now.getTime() + STALE_AFTER_MS);
  await dispatchAll(
    tx,
    [...waiting.values()].map((entries) => {
      const [first] = entries as [Waiting];
      return { kind: 'mail', tenantId: null, mail: sealMail(keys, digestMail({ email: first.email, entries, total: first.total }, baseUrl), staleAt, true) };
    }),
  );
  await tx.execute('update notification_mail set sent_at = $2 where user_id = any($1)', [[...waiting.keys()], now]);
  await tx.execute('update notification set awaits_mail = false where user_id = any($1) and awaits_mail', [people]);
  return people.length;
}

function byPerson(rows: readonly Waiting[]): Map<string, Waiting[]> {
  const people = new Map<string, Waiting[]>();
  for (const row of rows) people.set(row.user_id, [...(people.get(row.user_id) ?? []), row]);
  return people;
}

/** The latest entries of each person that are to be mailed, with the number of all of them. */
function findWaiting(tx: PlatformTransaction, people: readonly string[]): Promise<Waiting[]> {
  const groups = NOTIFICATION_KINDS.map(({ group }) => group);
  return tx.query<Waiting & Record<string, unknown>>(
    `select user_id, email, kind, title, body, link, count, tenant_id, tenant_code, tenant_name, total from (
       select n.user_id, u.email, n.kind, n.title, n.body, n.link, n.count, n.tenant_id, t.code as tenant_code, t.name as tenant_name, n.updated_at, n.id,
         count(*) over (partition by n.user_id) as total, row_number() over (partition by n.user_id order by n.updated_at desc, n.id desc) as nr
       from notification n join user_account u on u.id = n.user_id and u.is_active
         join unnest($2::text[], $3::text[], $4::boolean[]) as k (kind, pref_group, email) on k.kind = n.kind
         left join tenant t on t.id = n.tenant_id left join notification_preference p on p.user_id = n.user_id
       where n.user_id = any($1) and n.awaits_mail and n.read_at is null and coalesce((p.prefs -> k.pref_group ->> 'email')::boolean, k.email)
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
