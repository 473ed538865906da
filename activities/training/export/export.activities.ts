import { json, text } from 'node:stream/consumers';
import { AppError, conflict } from '../../../core/errors/app-error.js';
import type { ObjectStore } from '../../../core/ports/object-store.js';
import { asTenantId } from '../../../core/security/ids.js';
import type { Manifest } from '../../../models/datasets/validation/manifest.types.js';
import type { Database } from '../../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../../models/orm/transaction.js';
import { MODEL_FOLDER } from '../../../models/registry/register-version.commands.js';
import { findArtifact, listArtifactsBelow } from '../../../models/tracker/artifact.queries.js';
import { findRun } from '../../../models/tracker/run.queries.js';
import type { RunArtifact } from '../../../models/tracker/run.types.js';
import { findExperiment } from '../../../models/training/experiment.queries.js';
import { EXPORT_REPORT, exampleImages, exportJobSpec } from '../../../models/training/export/export-job.js';
import {
  beginExport,
  endExport,
  recordExport,
  setExportMessage,
} from '../../../models/training/export/export-progress.commands.js';
import { endOfReport, readExportReport } from '../../../models/training/export/export-report.rules.js';
import { exportWorkloadId, isExportOver } from '../../../models/training/export/export-state.rules.js';
import type { ExportEnd, ExportRef } from '../../../models/training/export/export-work.types.js';
import { type ExportRow, findExportAttempt } from '../../../models/training/export/export.queries.js';
import type { JobSettings } from '../../../models/training/jobs/job-spec.js';
import type { JobOutcome } from '../../../models/training/training-work.types.js';
import { removeWorkload, startWorkload, stopWorkload } from '../../../models/workloads/workload.commands.js';
import { findWorkload } from '../../../models/workloads/workload.queries.js';
import { HAS_ENDED } from '../../../models/workloads/workload.rules.js';
import { withHeartbeat } from '../../support/activity-context.js';

/** Side effects of one export of a trained model. Each is idempotent and does nothing for an export that is over. */
export interface ExportActivities {
  /** QUEUED to RUNNING. @returns false when there is nothing to do any more */
  beginExport(ref: ExportRef): Promise<boolean>;
  /** Asks for the job that writes the formats: a host is chosen for it, whose agent starts it. */
  startExportJob(ref: ExportRef): Promise<void>;
  /** Brings the message in line with the job. @returns null while it has not ended */
  lookAtExport(ref: ExportRef): Promise<JobOutcome | null>;
  /** Asks for the end of the job. @returns whether nothing of it runs any more */
  haltExport(ref: ExportRef): Promise<boolean>;
  /** Reads what the job reported. @returns how the export ends */
  collectExport(ref: ExportRef): Promise<ExportEnd>;
  /** The last word: state, run and audit. The first end stays. */
  endExport(ref: ExportRef, end: ExportEnd): Promise<void>;
  /** Asks for the removal of the job's working directory. */
  removeExportJob(ref: ExportRef): Promise<void>;
}

export interface ExportDeps {
  readonly database: Database;
  readonly objects: ObjectStore;
  readonly job: JobSettings;
}

const GRACE_S = 20;
/** Limit of a report; longer ones are not ours. */
const MAX_REPORT_BYTES = 2 ** 20;

const nameOf = ({ exportId, attempt }: ExportRef): string => exportWorkloadId(exportId, attempt);

export function createExportActivities(deps: ExportDeps): ExportActivities {
  const inTenant = <T>(ref: ExportRef, work: (tx: TenantTransaction) => Promise<T>): Promise<T> =>
    deps.database.inTenant(asTenantId(ref.tenantId), work);
  return {
    beginExport: (ref) => inTenant(ref, (tx) => beginExport(tx, ref)),
    startExportJob: (ref) => withHeartbeat(({ signal }) => start(deps, ref, signal)),
    lookAtExport: (ref) =>
      inTenant(ref, async (tx) => {
        const state = await findWorkload(tx, nameOf(ref));
        if (state === null)
          return { succeeded: false, message: 'The export was removed before it had ended.' };
        if (HAS_ENDED.has(state.phase))
          return { succeeded: state.phase === 'succeeded', message: state.message };
        await setExportMessage(tx, ref, state.phase === 'pending' ? state.message : 'Writing the formats.');
        return null;
      }),
    haltExport: (ref) =>
      inTenant(ref, async (tx) => {
        await stopWorkload(tx, nameOf(ref), GRACE_S);
        const state = await findWorkload(tx, nameOf(ref));
        return state === null || state.isDown;
      }),
    collectExport: (ref) => withHeartbeat(({ signal }) => collect(deps, ref, signal)),
    endExport: (ref, end) => inTenant(ref, (tx) => endExport(tx, ref, end)),
    removeExportJob: (ref) => inTenant(ref, (tx) => removeWorkload(tx, nameOf(ref))),
  };
}

/** @throws AppError conflict when the export is over, so that late work has no effect */
async function live(tx: TenantTransaction, ref: ExportRef): Promise<ExportRow> {
  const found = await findExportAttempt(tx, ref);
  if (!found || isExportOver(found.status)) throw conflict('This export is over.');
  return found;
}

async function start(deps: ExportDeps, ref: ExportRef, signal: AbortSignal): Promise<void> {
  const { database, objects, job } = deps;
  const tenantId = asTenantId(ref.tenantId);
  const input = await database.inTenant(tenantId, async (tx) => {
    if ((await findWorkload(tx, nameOf(ref))) !== null) return null;
    const wanted = await live(tx, ref);
    const experiment = await findExperiment(tx, wanted.experimentId);
    const run = await findRun(tx, wanted.trackerRunId);
    if (!experiment || !run) throw conflict('The run of this experiment was deleted.');
    return {
      ...{ ref, experiment, formats: wanted.formats },
      model: await listArtifactsBelow(tx, run.row, MODEL_FOLDER.slice(0, -1)),
      report: await findArtifact(tx, run.row, EXPORT_REPORT),
    };
  });
  if (input === null) return;
  if (input.model.length === 0) throw conflict('The run of this experiment has no stored model any more.');
  const { manifestKey, config } = input.experiment;
  const manifest = (await json(await objects.get(manifestKey, { signal }))) as Manifest;
  const spec = exportJobSpec({ ...input, examples: exampleImages(manifest.files, config) }, job);
  await database.inTenant(tenantId, async (tx) => {
    await live(tx, ref);
    await startWorkload(tx, job.keys, spec);
  });
}

async function collect(
  { database, objects }: ExportDeps,
  ref: ExportRef,
  signal: AbortSignal,
): Promise<ExportEnd> {
  const tenantId = asTenantId(ref.tenantId);
  const { wanted, report } = await database.inTenant(tenantId, async (tx) => {
    const found = await live(tx, ref);
    const run = await findRun(tx, found.trackerRunId);
    return { wanted: found, report: run && (await findArtifact(tx, run.row, EXPORT_REPORT)) };
  });
  const results = readExportReport(report && (await readReport(objects, report, signal)), wanted.formats);
  await database.inTenant(tenantId, (tx) => recordExport(tx, ref, results));
  return endOfReport(results);
}

/** Null for a report that is gone, or is no JSON. */
async function readReport(
  objects: ObjectStore,
  { objectKey, sizeBytes }: RunArtifact,
  signal: AbortSignal,
): Promise<unknown> {
  if (sizeBytes > MAX_REPORT_BYTES) return null;
  const found = await objects
    .get(objectKey, { signal })
    .then((body) => text(body))
    .catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found') return '';
      throw error;
    });
  try {
    return JSON.parse(found);
  } catch {
    return null;
  }
}
