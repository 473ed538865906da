import type { TenantTransaction } from '../../orm/transaction.js';

export interface SyncTurnFacts {
  readonly isQueued: boolean;
  /** As many syncs of its source run as may, or as many of the tenant beside one of a source that is away. */
  readonly isTaken: boolean;
  /** Running syncs of the tenant whose source is not away. */
  readonly busy: number;
  /** Queued syncs of the tenant that come before it. */
  readonly ahead: number;
}

/** What runs and waits of a tenant beside one of its syncs, as far as it decides on its turn. */
export async function readTurnFacts(
  tx: TenantTransaction,
  syncId: string,
  { ofSource, inAll }: { readonly ofSource: number; readonly inAll: number },
): Promise<SyncTurnFacts | null> {
  const [facts] = await tx.rows<SyncTurnFacts>(
    `with running as (
       select source_id, away_since from dataset_sync where tenant_id = $1 and status = 'running'),
       taken as (
         select source_id from running group by source_id having count(*) >= $3
           or (bool_or(away_since is not null) and (select count(*) from running) >= $4))
     select s.status = 'queued' and s.cancel_asked_at is null as is_queued,
       s.source_id in (select source_id from taken) as is_taken,
       (select count(*) from running where away_since is null) as busy,
       (select count(*) from dataset_sync o
        where o.tenant_id = s.tenant_id and o.status = 'queued'
          and (o.created_at, o.id) < (s.created_at, s.id) and (o.source_id = s.source_id or o.source_id not in (select source_id from taken))) as ahead
     from dataset_sync s where s.tenant_id = $1 and s.id = $2`,
    [tx.tenantId, syncId, ofSource, inAll],
  );
  return facts ?? null;
}
