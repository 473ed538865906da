import { MAX_COUNTED } from '../../../core/paging/capped-page.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { type Feed, type FeedQuery, toFeed } from './record-feed.rules.js';

/** A kind of records of devices: tables of the same key. */
export interface RecordKind {
  readonly table: 'telemetry' | 'inference' | 'edge_heartbeat';
  /** Kind of the tenant's setting of retention. */
  readonly retained: 'telemetry' | 'inference' | 'logs';
  /** Read beside the place. */
  readonly columns: string;
  /** Whether records say by the device's clock when they were measured, and may be received much later. */
  readonly isMeasured: boolean;
}

/** Which records are read. */
export interface RecordScope {
  /** Number of the device. */
  readonly device: number;
  /** Days of the device's own policy; null: the tenant's setting holds. */
  readonly ownDays: number | null;
  /** Only with telemetry: its kind; null: every kind. */
  readonly kind: string | null;
}

/** $1 tenant, $3 own days. What is kept no longer is hidden, though its partition may still be there. */
const since = ({ retained }: RecordKind): string =>
  `(select coalesce(case when $3::int is null then retention_cutoff($1, '${retained}')
    else now() - make_interval(days => $3::int) end, '-infinity'))`;

/** $1 tenant, $2 device, $3 own days, $5 from when. */
const received = (kind: RecordKind): string => `from ${kind.table} r
  where r.tenant_id = $1 and r.device = $2
    and r.received_at >= greatest(${since(kind)}, $5::timestamptz)`;

/** $4 kind. */
const isWanted = ({ table }: RecordKind): string =>
  table === 'telemetry' ? '($4::text is null or r.kind = $4)' : '$4::text is null';

/** $6 until when, and what the parts above need. */
const readable = (kind: RecordKind): string => `${received(kind)}
    and r.received_at <= coalesce($6::timestamptz, 'infinity') and ${isWanted(kind)}`;

const columns = (kind: RecordKind): string =>
  `r.id, (extract(epoch from r.received_at) * 1000000)::bigint as received_at_us, r.received_at, ${kind.columns}`;

const read = (kind: RecordKind): string => `select ${columns(kind)} ${readable(kind)}`;

/** $8 and $9: the place that was read last, $10 how many. */
const PAGE = (kind: RecordKind) => `${read(kind)}
    and (r.received_at, r.id) < (
      coalesce(timestamptz 'epoch' + $8::bigint * interval '1 microsecond', 'infinity'), coalesce($9::bigint, 0))
  order by r.received_at desc, r.id desc limit $10`;

/**
 * $8 how many parts. Each part is a probe of the key, so that the time read does not grow with the records: the ends of the parts
 * are columns, because row-level security lets no calculation with columns reach the key. @param what is read
 */
const spread = (kind: RecordKind, what: string) => `with part as materialized (
    select $5::timestamptz + t.step * (n - 1) as begins, $5::timestamptz + t.step * n as ends
    from (select (coalesce($6::timestamptz, now()) - $5::timestamptz) / $8::int as step) as t
    cross join generate_series(1, $8::int) as n
  )
  select p.* from part cross join lateral (
    select ${what} ${readable(kind)} and r.received_at > part.begins and r.received_at <= part.ends
    order by r.received_at desc, r.id desc limit 1) as p`;

/** When a record counts as measured: by the device's clock, unless it is ahead of the receipt or a month behind it. */
const MOMENT = `case when r.ts between r.received_at - interval '30 days' and r.received_at then r.ts else r.received_at end`;

/**
 * $7 how many are read at most, $8 how many parts. What a device kept while it had no network is received within seconds: the
 * first records since the begin are taken with their own moments, and beyond them those that are spread by the time of receipt.
 * `counted` says of how many.
 */
const SPREAD_BY_MOMENT = (kind: RecordKind) => `with near as (
    select r.received_at, r.id, ${MOMENT} as moment
    from (select r.* ${received(kind)} order by r.received_at, r.id limit $7::int) as r where ${isWanted(kind)}
  ), found as (
    select f.*, count(*) over () as counted,
      least(floor(extract(epoch from f.moment - $5::timestamptz) * $8::int / t.seconds), $8::int - 1) as part
    from (
      select extract(epoch from least(coalesce($6::timestamptz, now()), now()) - $5::timestamptz) as seconds
    ) as t cross join (
      select * from near union (${spread(kind, `r.received_at, r.id, ${MOMENT} as moment`)})) as f
    where f.moment >= $5::timestamptz and f.moment <= coalesce($6::timestamptz, 'infinity') and t.seconds > 0
  ), shown as (
    select distinct on (case when counted <= $8::int then id else part end) received_at, id, counted
    from found order by case when counted <= $8::int then id else part end, moment desc, id desc
  )
  select s.counted::int, ${columns(kind)}
  from shown as s join ${kind.table} as r on r.device = $2 and r.received_at = s.received_at and r.id = s.id
  where r.tenant_id = $1 order by r.received_at desc, r.id desc limit $8::int`;

/** Records of every kind are counted by a function that reads the key alone, those of one kind in the table. */
const COUNT = (kind: RecordKind) => `case when $4::text is null and $6::timestamptz is null
    then count_${kind.table}($2, greatest(${since(kind)}, $5::timestamptz), $7)
    else (select count(*)::int from (select 1 ${readable(kind)} limit $7) as capped) end`;

/** Both of one moment: records arrive meanwhile. An empty page is a row without an id. */
const FEED = (kind: RecordKind, page: string) => `
  select c.counted, p.* from (select ${COUNT(kind)} as counted) as c left join (${page}) as p on true
  order by p.received_at desc, p.id desc`;

interface RecordPlace {
  readonly id: number;
  readonly receivedAtUs: number;
  readonly receivedAt: Date;
}

/** Records that are read at most to spread them by the time of their measurement. */
const MOST_READ = 20_000;

/** Newest first by the time of receipt. Records that arrive meanwhile move none from one page to another. */
export async function readFeed<T extends object>(
  tx: TenantTransaction,
  kind: RecordKind,
  scope: RecordScope,
  { after, limit, since: first, until, isSpread }: FeedQuery,
): Promise<Feed<T & RecordPlace>> {
  const which = [tx.tenantId, scope.device, scope.ownDays, scope.kind, first, until];
  const place = [after?.[0] ?? null, after?.[1] ?? null, limit + 1];
  type Found = T & RecordPlace & { readonly counted: number };
  if (isSpread && kind.isMeasured) {
    const spreadOut = await tx.rows<Found>(SPREAD_BY_MOMENT(kind), [...which, MOST_READ, limit]);
    return toFeed(spreadOut, spreadOut[0]?.counted ?? 0, limit);
  }
  let found = await tx.rows<Found>(FEED(kind, PAGE(kind)), [...which, MAX_COUNTED + 1, ...place]);
  if (isSpread && found.length > limit)
    found = await tx.rows<Found>(FEED(kind, spread(kind, columns(kind))), [...which, MAX_COUNTED + 1, limit]);
  const rows = found.filter(({ id }) => id !== null);
  return toFeed(rows, found[0]?.counted ?? 0, limit);
}
