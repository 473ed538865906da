import type { PlatformTransaction } from '../orm/transaction.js';
import { administratorKinds, groupOf, kindOf, kindRolePairs } from './notification-catalog.rules.js';
import { featureDefault } from '../tenants/feature-catalog.js';
import { lockNotifications } from './notification-lock.js';
import { gather, type Gathered, type NotificationRequest } from './storm.rules.js';
import { countUnreadOf } from './unread.repository.js';

/** How mails of one person keep apart. */
export interface MailPace {
  /** The first mail waits this long for what else happens. */
  readonly settleS: number;
  /** At most one mail to a person within this time. */
  readonly windowS: number;
}

/** Somebody's entry that appeared or grew; for the hint to those who watch. */
export interface Told {
  user_id: string;
  /** The latest entry of the kind. */
  id: string;
  tenant_code: string | null;
  kind: string;
  /** Unread entries of the person in all tenants. */
  unread: number;
}

export interface FanOut {
  /** Requests taken; fewer than asked for: none are left. */
  readonly taken: number;
  readonly told: readonly Told[];
}

/**
 * Turns up to `limit` requests into entries of everybody they are for, in a fixed number of statements whatever the number
 * of people. One at a time on the whole platform: whoever comes second waits, so that repeats always find their entry.
 */
export async function fanOut(tx: PlatformTransaction, now: Date, limit: number, pace: MailPace): Promise<FanOut> {
  await lockNotifications(tx);
  const requests = await tx.query<NotificationRequest>(
    `delete from notification_request where id in (select id from notification_request order by id limit $1)
     returning id, tenant_id, kind, subject, user_id, title, body, link`,
    [limit],
  );
  const entries = gather(requests.sort((a, b) => a.id - b.id));
  if (entries.length === 0) return { taken: requests.length, told: [] };
  const written = await tx.query<Omit<Told, 'unread'> & { in_app: boolean }>(WRITE, parameters(entries, now, pace));
  const shown = latestByKind(written.filter((row) => row.in_app));
  const unread = await countUnreadOf(tx, [...new Set(shown.map((row) => row.user_id))]);
  return { taken: requests.length, told: shown.map(({ user_id, id, tenant_code, kind }) => ({ user_id, id, tenant_code, kind, unread: unread.get(user_id) ?? 0 })) };
}

/** One hint for each person, tenant and kind, however many entries came together. */
function latestByKind<T extends { user_id: string; tenant_code: string | null; kind: string }>(rows: readonly T[]): T[] {
  return [...new Map(rows.map((row) => [JSON.stringify([row.user_id, row.tenant_code, row.kind]), row])).values()];
}

function parameters(entries: readonly Gathered[], now: Date, pace: MailPace): unknown[] {
  const kinds = entries.map((entry) => ({ kind: kindOf(entry.kind), group: groupOf(entry.kind) }));
  const roles = kindRolePairs();
  const named = entries.flatMap((entry, at) => [...entry.people].map((id) => ({ at, id })));
  return [
    entries.map((_, at) => at),
    entries.map((entry) => entry.tenant_id),
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
 * `candidate`: by role in an active tenant, as global administrator, or named in person while belonging to the tenant.
 * `wanted`: those whose account is active and who want it in one way at least. An entry that is there within its window
 * grows and is unread again; the others get one. Mails are due soon, or when the distance to the last one is kept.
 */
const WRITE = `
with event as (
  select * from unnest($1::int[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], $9::text[], $10::boolean[], $11::boolean[], $12::float8[])
    as e (nr, tenant_id, kind, subject, title, body, link, count, pref_group, in_app, email, window_s)
), allowed as (
  select * from unnest($13::text[], $14::text[]) as a (kind, role)
), candidate as (
  select e.nr, m.user_id, false as is_personal from event e join membership m on m.tenant_id = e.tenant_id join allowed a on a.kind = e.kind and a.role = m.role
  union all
  select e.nr, m.user_id, false from event e join membership m on m.tenant_id is null where e.kind = any($15::text[])
  union all
  select e.nr, n.user_id, true from unnest($20::int[], $21::uuid[]) as n (nr, user_id) join event e using (nr)
  where e.tenant_id is null or exists (select 1 from membership m where m.user_id = n.user_id and (m.tenant_id = e.tenant_id or m.tenant_id is null))
), person as (
  select nr, user_id, bool_or(is_personal) as is_personal from candidate group by nr, user_id
), wanted as (
  select e.nr, e.tenant_id, t.code as tenant_code, e.kind, e.subject, e.title, e.body, e.link, e.count, e.window_s, c.user_id, c.is_personal,
    coalesce((p.prefs -> e.pref_group ->> 'in_app')::boolean, e.in_app) as in_app,
    coalesce((p.prefs -> e.pref_group ->> 'email')::boolean, e.email) and coalesce((t.features ->> 'notification_email')::boolean, $16) as email
  from person c join event e using (nr) join user_account u on u.id = c.user_id and u.is_active
    left join tenant t on t.id = e.tenant_id left join notification_preference p on p.user_id = c.user_id
  where e.tenant_id is null or t.is_active
), same as (
  select distinct on (w.nr, w.user_id) n.id, w.nr, w.user_id
  from wanted w join notification n on n.user_id = w.user_id and n.kind = w.kind and n.subject = w.subject and n.tenant_id is not distinct from w.tenant_id
    and n.created_at > $17::timestamptz - make_interval(secs => w.window_s)
  where w.in_app or w.email
  order by w.nr, w.user_id, n.created_at desc
), grown as (
  update notification n set count = n.count + w.count, title = w.title, body = w.body, link = w.link, updated_at = $17, read_at = null,
    is_personal = n.is_personal or w.is_personal, in_app = w.in_app, awaits_mail = w.email
  from same s join wanted w using (nr, user_id) where n.id = s.id
  returning n.id, s.nr, n.user_id
), added as (
  insert into notification (tenant_id, user_id, kind, subject, is_personal, title, body, link, count, in_app, awaits_mail, created_at, updated_at)
  select w.tenant_id, w.user_id, w.kind, w.subject, w.is_personal, w.title, w.body, w.link, w.count, w.in_app, w.email, $17, $17 from wanted w
  where (w.in_app or w.email) and not exists (select 1 from same s where s.nr = w.nr and s.user_id = w.user_id)
  order by w.nr
  returning id, user_id, tenant_id, kind, subject
), mail as (
  insert into notification_mail as m (user_id, due_at)
  select distinct w.user_id, $17::timestamptz + make_interval(secs => $18) from wanted w where w.email
  on conflict (user_id) do update set due_at = coalesce(m.due_at, greatest(excluded.due_at, m.sent_at + make_interval(secs => $19)))
), done as (
  select id, nr, user_id from grown
  union all
  select a.id, w.nr, a.user_id from added a join wanted w on w.user_id = a.user_id and w.kind = a.kind and w.subject = a.subject and w.tenant_id is not distinct from a.tenant_id
)
select w.user_id, d.id, w.tenant_code, w.kind, w.in_app from done d join wanted w using (nr, user_id) order by w.nr`;
