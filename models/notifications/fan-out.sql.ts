import type { MailPace } from './mail-pace.rules.js';
import type { Transaction } from '../orm/transaction.js';
import { featureDefault } from '../features/feature-catalog.js';
import type { Hint } from './notification-event.js';
import { administratorKinds, groupOf, kindOf, kindRolePairs } from './notification-catalog.rules.js';
import type { Gathered, NotificationRequest } from './joined-requests.rules.js';

/** The latest entry of a person, tenant and kind that appeared or grew. */
export type Shown = Omit<Hint, 'unread'>;

/** Takes the oldest requests out of the table. */
export const takeRequests = (tx: Transaction, limit: number): Promise<NotificationRequest[]> =>
  tx.rows<NotificationRequest>(
    `delete from notification_request -- bulk: all that was asked for since the last pass
     where id in (select id from notification_request order by id limit $1)
     returning id, tenant_id, kind, subject, user_id, title, body, link`,
    [limit],
  );

/** Writes entries for everybody they are for. */
export const writeEntries = (
  tx: Transaction,
  entries: readonly Gathered[],
  now: Date,
  pace: MailPace,
): Promise<Shown[]> => tx.rows<Shown>(WRITE, parameters(entries, now, pace));

function parameters(entries: readonly Gathered[], now: Date, pace: MailPace): unknown[] {
  const kinds = entries.map((entry) => ({ kind: kindOf(entry.kind), group: groupOf(entry.kind) }));
  const roles = kindRolePairs();
  const named = entries.flatMap((entry, at) => [...entry.people].map((id) => ({ at, id })));
  return [
    entries.map((_, at) => at),
    entries.map((entry) => entry.tenantId),
    entries.map((entry) => entry.kind),
    entries.map((entry) => entry.subject),
    entries.map((entry) => entry.title),
    entries.map((entry) => entry.body),
    entries.map((entry) => entry.link),
    entries.map((entry) => entry.count),
    kinds.map(({ group }) => group?.key),
    kinds.map(({ group }) => group?.defaults.inApp),
    kinds.map(({ group }) => group?.defaults.email),
    kinds.map(({ kind }) => kind?.windowS),
    roles.kinds,
    roles.roles,
    administratorKinds(),
    featureDefault('notification_email'),
    now,
    pace.settleS,
    pace.windowS,
    named.map(({ at }) => at),
    named.map(({ id }) => id),
  ];
}

/**
 * `candidate`: by role in the tenant, as global administrator, or named in person while belonging to the
 * tenant; `person`: those whose account is active. `audience`: what is for a tenant's members and finds none
 * of them is for the global administrators, so that nothing reaches nobody. `wanted`: those who want it in
 * one way at least, in active tenants. An entry that is there within its window grows and is unread again;
 * the others get one. Mails are due soon, or when the distance to the last one is kept. Answers the latest
 * entry of each person, tenant and kind.
 */
const WRITE = `
-- bulk: entries of everybody who is notified, in a fixed number of statements
with event as (
  select * from unnest($1::int[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
      $8::int[], $9::text[], $10::boolean[], $11::boolean[], $12::float8[])
    as e (nr, tenant_id, kind, subject, title, body, link, count, pref_group, in_app, email, window_s)
), allowed as (
  select * from unnest($13::text[], $14::text[]) as a (kind, role)
), candidate as (
  select e.nr, m.user_id, false as is_personal from event e
    join membership m on m.tenant_id = e.tenant_id join allowed a on a.kind = e.kind and a.role = m.role
  union all
  select e.nr, m.user_id, false from event e join membership m on m.tenant_id is null
  where e.kind = any($15::text[])
  union all
  select e.nr, n.user_id, true from unnest($20::int[], $21::uuid[]) as n (nr, user_id) join event e using (nr)
  where e.tenant_id is null or exists (
    select 1 from membership m
    where m.user_id = n.user_id and (m.tenant_id = e.tenant_id or m.tenant_id is null))
), person as (
  select c.nr, c.user_id, bool_or(c.is_personal) as is_personal 
  from candidate c join user_account u on u.id = c.user_id and u.is_active group by c.nr, c.user_id
), audience as (
  select nr, user_id, is_personal from person
  union all
  select e.nr, m.user_id, false from event e
    join membership m on m.tenant_id is null join user_account u on u.id = m.user_id and u.is_active
  where e.tenant_id is not null and e.kind = any($13::text[])
    and e.nr <> all(array(select distinct p.nr from person p))
), wanted as (
  select e.nr, e.tenant_id, t.code as tenant_code, e.kind, e.subject, e.title, e.body, e.link, e.count,
    e.window_s, c.user_id, c.is_personal,
    coalesce((p.prefs -> e.pref_group ->> 'in_app')::boolean, e.in_app) as in_app,
    coalesce((p.prefs -> e.pref_group ->> 'email')::boolean, e.email)
      and coalesce((t.features ->> 'notification_email')::boolean, $16) as email
  from audience c join event e using (nr)
    left join tenant t on t.id = e.tenant_id left join notification_preference p on p.user_id = c.user_id
  where e.tenant_id is null or t.is_active
), target as (
  -- Found and numbered here, once: joining the rows that were written with those wanted would be a plan
  -- without statistics.
  select w.*, coalesce(s.id, gen_random_uuid()) as id, s.id is not null as grows
  from wanted w left join lateral (
    select n.id from notification n
    where n.user_id = w.user_id and n.kind = w.kind and n.subject = w.subject
      and n.tenant_id is not distinct from w.tenant_id
      and n.created_at > $17::timestamptz - make_interval(secs => w.window_s)
    order by n.created_at desc limit 1) s on true
  where w.in_app or w.email
), grown as (
  update notification n
  set count = n.count + w.count, title = w.title, body = w.body, link = w.link, updated_at = $17,
    read_at = null, is_personal = n.is_personal or w.is_personal, in_app = w.in_app, awaits_mail = w.email
  from target w where n.id = w.id and w.grows
), added as (
  insert into notification (id, tenant_id, user_id, kind, subject, is_personal, title, body, link, -- bulk: one entry for each recipient
    count, in_app, awaits_mail, created_at, updated_at)
  select w.id, w.tenant_id, w.user_id, w.kind, w.subject, w.is_personal, w.title, w.body, w.link, w.count,
    w.in_app, w.email, $17, $17
  from target w where not w.grows
), mail as (
  insert into notification_mail as m (user_id, due_at) -- bulk: one row for each recipient by mail
  select distinct w.user_id, $17::timestamptz + make_interval(secs => $18) from target w where w.email
  on conflict (user_id) do update
  set due_at = coalesce(m.due_at, greatest(excluded.due_at, m.sent_at + make_interval(secs => $19)))
), latest as (
  select distinct on (w.user_id, w.tenant_id, w.kind) w.user_id, w.id, w.tenant_code, w.kind
  from target w where w.in_app
  order by w.user_id, w.tenant_id, w.kind, w.nr desc
)
select user_id, id, tenant_code, kind from latest`;
