import type { TenantTransaction } from '../../orm/transaction.js';
import { FROM_DEVICE, IS_READABLE } from '../../monitoring/readable-inference.sql.js';
import type { FieldMetrics } from './field-metrics.rules.js';
import { STILL_HAS_IT } from './device-moves.sql.js';

/** Devices of a deployment that have its version, and that no later deployment took or asked. $1 tenant, $2 deployment. */
const HAVE_IT = `deployment_device d where d.tenant_id = $1 and d.deployment_id = $2 and d.step = 'succeeded'
  and not d.is_rollback and d.device_id is not null and ${STILL_HAS_IT}`;

/** Since when the first of them has it; null: none has. @param groupNo from 0; null: of all groups */
export const firstInstalledAt = async (
  tx: TenantTransaction,
  deploymentId: string,
  groupNo: number | null = null,
): Promise<Date | null> =>
  (
    await tx.rows<{ at: Date | null }>(
      `select min(d.finished_at) as at from ${HAVE_IT} and ($3::int is null or d.group_no = $3)`,
      [tx.tenantId, deploymentId, groupNo],
    )
  )[0]?.at ?? null;

/** $3 model's name, $4 version, $5 since. */
const MEASURED = `
  select count(*)::int as requests, count(i.latency_ms)::int as latencies, count(i.confidence)::int as confidences,
    percentile_cont(0.5) within group (order by i.latency_ms) as latency_p50_ms,
    percentile_cont(0.95) within group (order by i.latency_ms) as latency_p95_ms,
    avg(i.confidence) as confidence_mean,
    avg((coalesce(i.result -> 'error', 'null') <> 'null')::int)::float8 as error_rate
  from inference i ${FROM_DEVICE}
  where i.tenant_id = $1 and i.model_name = $3 and i.version = $4 and i.received_at >= $5 and ${IS_READABLE}
    and e.id in (select d.device_id from ${HAVE_IT})`;

export async function measureInField(
  tx: TenantTransaction,
  deploymentId: string,
  modelName: string,
  version: number,
  since: Date,
): Promise<FieldMetrics> {
  const [row] = await tx.rows<FieldMetrics>(MEASURED, [tx.tenantId, deploymentId, modelName, version, since]);
  return row as FieldMetrics;
}
