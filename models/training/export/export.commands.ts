import { randomUUID } from 'node:crypto';
import { conflict, notFound } from '../../../core/errors/app-error.js';
import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import { dispatch } from '../../outbox/dispatch.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { MODEL_FOLDER } from '../../registry/register-version.commands.js';
import { listArtifactsBelow } from '../../tracker/artifact.queries.js';
import { findRun } from '../../tracker/run.queries.js';
import { lockExperiment } from '../experiment-state.commands.js';
import { assertExportable } from './export-state.rules.js';
import { exportStart, exportWorkflowId } from './export-work.types.js';
import { type ExportRow, findActiveExport, findExport } from './export.queries.js';
import { TrainingExport } from './training-export.entity.js';

/**
 * Asks for an export of a trained model: writes the request and the start of the durable work.
 * @param formats checked, at least one
 * @throws AppError not_found; conflict when it has not SUCCEEDED, has no stored model, or is being exported already
 */
export async function requestExport(
  tx: TenantTransaction,
  actor: Actor,
  experimentId: string,
  formats: readonly string[],
): Promise<ExportRow> {
  const experiment = await lockExperiment(tx, experimentId);
  if (!experiment) throw notFound('Experiment');
  assertExportable(experiment.status);
  const active = await findActiveExport(tx, experimentId);
  if (active) throw conflict('An export of this experiment is under way already.', { export_id: active.id });
  const run = await findRun(tx, experiment.trackerRunId);
  const files = run ? await listArtifactsBelow(tx, run.row, MODEL_FOLDER.slice(0, -1), 1) : [];
  if (files.length === 0) throw conflict('The run of this experiment has no stored model any more.');
  const id = randomUUID();
  const { tenantId, em } = tx;
  em.create(TrainingExport, {
    ...{ id, tenantId, experimentId, formats },
    trackerRunId: experiment.trackerRunId,
    statusMessage: 'Waiting for a worker.',
    createdBy: actor.id,
  });
  await em.flush();
  await dispatch(tx, { kind: 'start', start: exportStart({ tenantId, exportId: id, attempt: 1 }) });
  await audit(tx, tenantId, actor, {
    action: 'experiment.export',
    target: { kind: 'experiment', id: experimentId, label: experiment.name },
    detail: { export_id: id, formats: [...formats] },
  });
  return (await findExport(tx, id)) as ExportRow;
}

/**
 * Writes the request; the workflow follows it. Asking again changes nothing.
 * @throws AppError not_found; conflict when nothing is being exported
 */
export async function cancelExport(
  tx: TenantTransaction,
  actor: Actor,
  experimentId: string,
): Promise<ExportRow> {
  const experiment = await lockExperiment(tx, experimentId);
  if (!experiment) throw notFound('Experiment');
  const active = await findActiveExport(tx, experimentId);
  if (!active) throw conflict('No export of this experiment is under way.');
  if (active.cancelAskedAt) return active;
  const now = new Date();
  const found = await tx.em.findOneOrFail(TrainingExport, { id: active.id });
  Object.assign(found, { cancelAskedAt: now, statusMessage: 'Canceling.', updatedAt: now });
  await tx.em.flush();
  await audit(tx, tx.tenantId, actor, {
    action: 'experiment.export_cancel',
    target: { kind: 'experiment', id: experimentId, label: experiment.name },
    detail: { export_id: active.id },
  });
  const { tenantId } = tx;
  const workflowId = exportWorkflowId({ tenantId, exportId: active.id, attempt: active.attempt });
  await dispatch(tx, { kind: 'cancel', tenantId, workflowId });
  return (await findExport(tx, active.id)) as ExportRow;
}

/** @throws AppError conflict while its export runs */
export async function assertNotExporting(tx: TenantTransaction, experimentId: string): Promise<void> {
  const active = await findActiveExport(tx, experimentId);
  if (active)
    throw conflict(
      'The experiment is being exported: wait for the export, or cancel it, before deleting it.',
      {
        export_id: active.id,
      },
    );
}
