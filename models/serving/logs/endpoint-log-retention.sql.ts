import type { Transaction } from '../../orm/transaction.js';

/** Rows of a log that another one follows: reading goes on after the last. */
const FOLLOWED = `exists (select 1 from endpoint_log_chunk n where n.endpoint_id = l.endpoint_id
  and n.instance = l.instance and n.from_byte > l.from_byte)`;

const REMOVE_ROWS = `with outdated as (
    select l.endpoint_id, l.instance, l.from_byte, ${FOLLOWED} as is_followed from endpoint_log_chunk l
    where l.tenant_id = $1 and l.created_at < $2 and l.text <> '' limit $3),
  gone as (
    delete from endpoint_log_chunk l -- bulk: log lines that a tenant keeps no longer
    using outdated o where o.is_followed
      and (l.endpoint_id, l.instance, l.from_byte) = (o.endpoint_id, o.instance, o.from_byte) returning 1),
  emptied as (
    update endpoint_log_chunk l -- bulk: the last rows of logs, after which reading goes on
    set from_byte = l.to_byte, text = '' from outdated o where not o.is_followed and l.created_at < $2
      and (l.endpoint_id, l.instance, l.from_byte) = (o.endpoint_id, o.instance, o.from_byte) returning 1)
  select (select count(*) from gone) + (select count(*) from emptied) as n`;

/** Text that endpoints of a tenant printed before `before` and that is in rows; at most `limit` rows. */
export async function removeEndpointLogRowsBefore(
  tx: Transaction,
  tenantId: string,
  before: Date,
  limit: number,
): Promise<number> {
  const [row] = await tx.rows<{ n: number }>(REMOVE_ROWS, [tenantId, before, limit]);
  return row?.n ?? 0;
}

const REMOVE_SEGMENTS = `with gone as (
    delete from endpoint_log_segment -- bulk: segments that a tenant keeps no longer
    where (endpoint_id, instance, from_byte) in (
      select endpoint_id, instance, from_byte from endpoint_log_segment
      where tenant_id = $1 and created_at < $2 limit $3)
    returning object_key)
  insert into orphaned_object (tenant_id, object_key, due_at) select $1, object_key, now() from gone
  on conflict (object_key) do update set due_at = now()`;

/** As removeEndpointLogRowsBefore, in segments, with their objects. */
export const removeEndpointLogSegmentsBefore = (
  tx: Transaction,
  tenantId: string,
  before: Date,
  limit: number,
): Promise<number> => tx.execute(REMOVE_SEGMENTS, [tenantId, before, limit]);
