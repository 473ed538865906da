import type { Transaction } from '../orm/transaction.js';
import { WORKLOADS_CHANNEL } from '../workloads/workload-channel.js';

const REMOVE = `with leftover as (
    select j.id, j.host from workload j
    left join training_experiment e on j.kind = 'training'
      and e.tenant_id = j.tenant_id and e.id = j.owner_id and e.attempt = j.attempt
    left join training_export x on j.kind = 'export'
      and x.tenant_id = j.tenant_id and x.id = j.owner_id and x.attempt = j.attempt
    where j.kind in ('training', 'export') and (j.wish <> 'remove' or j.host is null)
      and coalesce(e.status, x.status, 'FAILED') in ('SUCCEEDED', 'FAILED', 'CANCELED')
    limit $1),
  dropped as (
    delete from workload -- bulk: no host has anything of them
    where id in (select id from leftover where host is null) and host is null),
  wished as (
    update workload w set wish = 'remove', revision = revision + 1, updated_at = now() -- bulk: of all tenants
    where w.id in (select id from leftover where host is not null) and w.wish <> 'remove')
  select count(*) as n, pg_notify($2, '') from leftover having count(*) > 0`;

/** Asks for the removal of jobs whose attempt or export has ended or is no more. @returns how many */
export async function removeLeftoverJobs(tx: Transaction, limit: number): Promise<number> {
  const [row] = await tx.rows<{ n: number }>(REMOVE, [limit, WORKLOADS_CHANNEL]);
  return row?.n ?? 0;
}
