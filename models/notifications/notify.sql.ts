import type { Transaction } from '../orm/transaction.js';
import type { NewNotification } from './notification.types.js';

export const insertRequests = (
  tx: Transaction,
  tenantId: string | null,
  all: readonly NewNotification[],
): Promise<number> =>
  tx.execute(
    `insert into notification_request -- hot: alarms come in storms
       (tenant_id, kind, subject, user_id, title, body, link)
     select $1, kind, subject, person, title, body, link
     from unnest($2::text[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::text[])
       with ordinality as n (kind, subject, person, title, body, link, place)
     order by place`,
    [
      tenantId,
      all.map((each) => each.kind),
      all.map((each) => each.subject),
      all.map((each) => each.userId),
      all.map((each) => each.title),
      all.map((each) => each.body),
      all.map((each) => each.link),
    ],
  );
