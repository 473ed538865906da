import type { PlatformTransaction } from '../orm/transaction.js';
import { LOG_ARTIFACT } from './log.repository.js';

/** Log rows written before `before`, of attempts that have ended; at most `limit`. */
export const removeLogRowsBefore = (tx: PlatformTransaction, tenantId: string, before: Date, limit: number): Promise<number> =>
  tx.execute(
    `delete from log_chunk where (experiment_id, attempt, from_byte) in (
       select c.experiment_id, c.attempt, c.from_byte from log_chunk c
       join tracker_run r on r.tenant_id = c.tenant_id and r.training_id = c.experiment_id and r.training_attempt = c.attempt and r.finished_at is not null
       where c.tenant_id = $1 and c.created_at < $2 limit $3)`,
    [tenantId, before, limit],
  );

/** Stored logs written before `before`, at most `limit`; their bytes go with the next sweep unless a model version holds them. */
export async function removeLogFilesBefore(tx: PlatformTransaction, tenantId: string, before: Date, limit: number): Promise<number> {
  const [row] = await tx.query<{ n: number }>(
    `with gone as (
       delete from run_artifact where tenant_id = $1 and (run, path) in (
         select a.run, a.path from run_artifact a join tracker_run r on r.tenant_id = a.tenant_id and r.id = a.run and r.training_id is not null
         where a.tenant_id = $1 and a.path = $3 and a.updated_at < $2 limit $4) returning object_key),
     freed as (
       insert into loose_object (tenant_id, object_key, due_at) select $1, object_key, now() from gone
       where not exists (select 1 from model_version_file f where f.tenant_id = $1 and f.object_key = gone.object_key)
       on conflict (object_key) do update set due_at = now())
     select count(*) as n from gone`,
    [tenantId, before, LOG_ARTIFACT, limit],
  );
  return row?.n ?? 0;
}
