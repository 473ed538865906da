import { audit } from '../../audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../../audit/audit.types.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { closeRun, openRunForFiles } from '../../tracker/run.commands.js';
import { lockExperiment } from '../experiment-state.commands.js';
import { EXPORT_STATES, isExportOver } from './export-state.rules.js';
import type { ExportEnd, ExportRef } from './export-work.types.js';
import { findExport } from './export.queries.js';
import type { ExportedFormat } from './export.types.js';
import { TrainingExport } from './training-export.entity.js';

/** Experiment first, then its export: in this order all who hold both. */
async function lockExport(tx: TenantTransaction, ref: ExportRef) {
  const known = await findExport(tx, ref.exportId);
  const experiment = known && (await lockExperiment(tx, known.experimentId));
  if (!experiment) return null;
  const { exportId: id, attempt } = ref;
  const found = await tx.em.findOne(TrainingExport, { id, attempt }, { refresh: true });
  return found ? { experiment, found } : null;
}

/** QUEUED to RUNNING; the run takes files again. @returns false when there is nothing to do any more */
export async function beginExport(tx: TenantTransaction, ref: ExportRef): Promise<boolean> {
  const locked = await lockExport(tx, ref);
  if (!locked || isExportOver(locked.found.status)) return false;
  const { found } = locked;
  if (found.status === 'QUEUED') {
    const now = new Date();
    const statusMessage = 'Preparing model and examples.';
    Object.assign(found, { status: 'RUNNING', statusMessage, startedAt: now, updatedAt: now });
    await tx.em.flush();
  }
  await openRunForFiles(tx, found.trackerRunId);
  return true;
}

/** What is under way, for people. */
export async function setExportMessage(
  tx: TenantTransaction,
  ref: ExportRef,
  message: string,
): Promise<void> {
  const locked = await lockExport(tx, ref);
  if (!locked || locked.found.finishedAt || locked.found.statusMessage === message) return;
  Object.assign(locked.found, { statusMessage: message.slice(0, 1000), updatedAt: new Date() });
  await tx.em.flush();
}

/** What became of each format. */
export async function recordExport(
  tx: TenantTransaction,
  ref: ExportRef,
  results: readonly ExportedFormat[],
): Promise<void> {
  const locked = await lockExport(tx, ref);
  if (!locked || locked.found.finishedAt) return;
  Object.assign(locked.found, { results, updatedAt: new Date() });
  await tx.em.flush();
}

/** The last word; the first end stays. The run takes no files any more. */
export async function endExport(
  tx: TenantTransaction,
  ref: ExportRef,
  { status, message }: ExportEnd,
): Promise<void> {
  const locked = await lockExport(tx, ref);
  if (!locked || !EXPORT_STATES.may(locked.found.status, status)) return;
  const { experiment, found } = locked;
  await closeRun(tx, found.trackerRunId, 'FINISHED');
  const now = new Date();
  const statusMessage = message.slice(0, 1000);
  Object.assign(found, { status, statusMessage, finishedAt: now, updatedAt: now });
  await tx.em.flush();
  await audit(tx, tx.tenantId, SYSTEM_ACTOR, {
    action: 'experiment.export_end',
    outcome: status === 'FAILED' ? 'failed' : 'success',
    target: { kind: 'experiment', id: experiment.id, label: experiment.name },
    detail: { export_id: found.id, status, message: statusMessage },
  });
}
