import type { Transaction } from '../orm/transaction.js';
import { lockNotifications } from './notification-lock.js';

const BATCH = 5000;
/** Days after which an entry goes that was read, and any entry. */
const KEPT_DAYS = { read: 90, any: 365 };
/** The latest entries that each person keeps, read or not. */
export const KEPT_OF_PERSON = 1000;

/** Entries that are old or that nobody may see any more. @returns how many were removed, at most 5000 */
export const removeOldNotifications = (tx: Transaction, now: Date): Promise<number> =>
  tx.execute(
    `delete from notification where id in ( -- bulk: whatever got too old since the last hour
       select n.id from notification n
       where n.updated_at < $1::timestamptz - make_interval(days => $2)
         or n.read_at < $1::timestamptz - make_interval(days => $3)
         or (n.tenant_id is not null and not exists (
           select 1 from membership m
           where m.user_id = n.user_id and (m.tenant_id = n.tenant_id or m.tenant_id is null)))
       limit $4 for update skip locked)`,
    [now, KEPT_DAYS.any, KEPT_DAYS.read, BATCH],
  );

/** Entries beyond the latest of each person. @returns how many were removed, at most 5000 */
export async function removeExcessNotifications(tx: Transaction): Promise<number> {
  await lockNotifications(tx);
  return tx.execute(
    `delete from notification where id in ( -- bulk: of all people with too many
       select o.id from (select user_id from notification group by user_id having count(*) > $1) p
         cross join lateral (
           select n.id from notification n where n.user_id = p.user_id
           order by n.updated_at desc, n.id desc offset $1) o
       limit $2)`,
    [KEPT_OF_PERSON, BATCH],
  );
}
