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

/** $1 tenant, $2 device, $3 own days, $4 kind. */
const readable = (kind: RecordKind): string => `from ${kind.table} r
  where r.tenant_id = $1 and r.device = $2 and r.received_at >= ${since(kind)}
    and ${kind.table === 'telemetry' ? '($4::text is null or r.kind = $4)' : '$4::text is null'}`;

const PAGE = (
  kind: RecordKind,
) => `select r.id, (extract(epoch from r.received_at) * 1000000)::bigint as received_at_us, r.received_at, ${kind.columns}
  ${readable(kind)}
    and (r.received_at, r.id) < (
      coalesce(timestamptz 'epoch' + $5::bigint * interval '1 microsecond', 'infinity'), coalesce($6::bigint, 0))
  order by r.received_at desc, r.id desc limit $7`;

/** Records of every kind are counted by a function that reads the key alone, those of one kind in the table. */
const COUNT = (
  kind: RecordKind,
) => `case when $4::text is null then count_${kind.table}($2, ${since(kind)}, $8)
    else (select count(*)::int from (select 1 ${readable(kind)} limit $8) as capped) end`;

/** Both of one moment: records arrive meanwhile. An empty page is a row without an id. */
const FEED = (kind: RecordKind) => `
  select c.counted, p.* from (select ${COUNT(kind)} as counted) as c left join (${PAGE(kind)}) as p on true
  order by p.received_at desc, p.id desc`;

interface RecordPlace {
  readonly id: number;
  readonly receivedAtUs: number;
  readonly receivedAt: Date;
}

/** Newest first by the time of receipt. Records that arrive meanwhile move none from one page to another. */
export async function readFeed<T extends object>(
  tx: TenantTransaction,
  kind: RecordKind,
  scope: RecordScope,
  { after, limit }: FeedQuery,
): Promise<Feed<T & RecordPlace>> {
  const which = [tx.tenantId, scope.device, scope.ownDays, scope.kind];
  const place = [after?.[0] ?? null, after?.[1] ?? null];
  type Found = T & RecordPlace & { readonly counted: number };
  const found = await tx.rows<Found>(FEED(kind), [...which, ...place, limit + 1, MAX_COUNTED + 1]);
  const rows = found.filter(({ id }) => id !== null);
  return toFeed(rows, found[0]?.counted ?? 0, limit);
}
