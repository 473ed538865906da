import { notFound } from '../../../core/errors/app-error.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { WRITE_MODEL_METRICS } from './logged-model.sql.js';
import type { MeasuredModel } from './logged-model.types.js';

/** @throws AppError not_found for a model that does not exist; the batch is then to be rolled back as a whole */
export async function writeModelMetrics(
  tx: TenantTransaction,
  runId: string,
  metrics: readonly MeasuredModel[],
): Promise<void> {
  if (metrics.length === 0) return;
  const found = await tx.rows<{ modelId: string }>(WRITE_MODEL_METRICS, [
    tx.tenantId,
    runId,
    metrics.map((metric) => metric.modelId),
    metrics.map((metric) => metric.key),
    metrics.map((metric) => metric.step),
    metrics.map((metric) => metric.ts),
    metrics.map((metric) => metric.value),
    metrics.map((metric) => metric.datasetName),
    metrics.map((metric) => metric.datasetDigest),
  ]);
  if (found.length < new Set(metrics.map((metric) => metric.modelId)).size) throw notFound('Logged model');
}
