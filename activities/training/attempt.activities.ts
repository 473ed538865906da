import { hostname } from 'node:os';
import { json } from 'node:stream/consumers';
import { conflict, unprocessable } from '../../core/errors/app-error.js';
import type { EventBus } from '../../core/ports/event-bus.js';
import { asTenantId } from '../../core/security/ids.js';
import { audit } from '../../models/audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../../models/audit/audit.types.js';
import type { Manifest, ManifestFile } from '../../models/datasets/validation/manifest.types.js';
import { messages } from '../../models/notifications/messages.rules.js';
import { notify } from '../../models/notifications/notify.commands.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { MetricKeys } from '../../models/tracker/metric-keys.js';
import { writeBatch } from '../../models/tracker/run-batch.commands.js';
import { closeRun, openRunForJob } from '../../models/tracker/run.commands.js';
import {
  endOfCanceled,
  endOfSucceeded,
  RUN_END,
  type SettledEnd,
} from '../../models/training/attempt-end.queries.js';
import { stateEvent, stepEvent } from '../../models/training/experiment-events.js';
import { type ExperimentRow, findAttempt } from '../../models/training/experiment.queries.js';
import { advance, end, holdExperiment } from '../../models/training/experiment-state.commands.js';
import { isTerminal } from '../../models/training/experiment-state.rules.js';
import type { AttemptRef, ExperimentConfig } from '../../models/training/experiment.types.js';
import { copiesWarning, imageCopies } from '../../models/training/image-copies.rules.js';
import { closeSteps, setStepMessage, startStep } from '../../models/training/step.commands.js';
import { trainingFiles } from '../../models/training/training-files.rules.js';
import type { AttemptEnd } from '../../models/training/training-work.types.js';
import { withHeartbeat } from '../support/activity-context.js';
import type { TrainingActivities } from './training.activities.js';
import { bringWeights, freeWeights, type WeightsDeps } from './weights.js';

export interface AttemptDeps extends WeightsDeps {
  readonly events: EventBus;
}

/** Beginning and end of an attempt. */
export function createAttemptActivities(
  deps: AttemptDeps,
): Pick<TrainingActivities, 'beginAttempt' | 'prepareAttempt' | 'endAttempt'> {
  const { database, events } = deps;
  const keys = new MetricKeys();

  return {
    beginAttempt: (ref) =>
      inTenant(database, ref, async (tx) => {
        const found = await findAttempt(tx, ref);
        if (!found || isTerminal(found.status)) return null;
        const message = 'Preparing data and runtime.';
        if (await advance(tx, ref, 'PREPARING', message))
          tx.afterCommit(() => events.publish([stateEvent(ref, 'PREPARING', message)]));
        if (await startStep(tx, ref, 'prepare', ''))
          tx.afterCommit(() => events.publish([stepEvent(ref, 'prepare', 'running', '')]));
        const { register_model: registers, serving } = found.config;
        return {
          host: hostname(),
          registers,
          buildsImage: serving.build_image,
          createsEndpoint: serving.create_endpoint,
        };
      }),

    prepareAttempt: (ref) => withHeartbeat(({ signal }) => prepare(deps, keys, ref, signal)),

    endAttempt: (ref, asked) =>
      inTenant(database, ref, async (tx) => {
        // In the order of all who hold the attempt: experiment first, then its run.
        await holdExperiment(tx, ref.experimentId);
        const found = await findAttempt(tx, ref);
        if (!found) return;
        const { status, message } = await settle(tx, ref, asked, found.cancelAskedAt !== null);
        await closeRun(tx, found.trackerRunId, RUN_END[status]);
        if (!(await end(tx, ref, status, message.slice(0, 1000)))) return;
        await freeWeights(tx, found);
        const closed = await closeSteps(tx, ref, message);
        await audit(tx, tx.tenantId, SYSTEM_ACTOR, {
          action: 'experiment.end',
          outcome: status === 'FAILED' ? 'failed' : 'success',
          target: { kind: 'experiment', id: ref.experimentId, label: found.name },
          detail: { status, message, attempt: ref.attempt },
        });
        await notify(
          tx,
          tx.tenantId,
          messages.experimentEnded(
            { id: ref.experimentId, name: found.name, createdBy: found.createdBy },
            status,
            message,
          ),
        );
        tx.afterCommit(() =>
          events.publish([
            ...closed.map((step) => stepEvent(ref, step.key, step.status, step.message)),
            stateEvent(ref, status, message),
          ]),
        );
      }),
  };
}

/** What the end comes to that the workflow asks for. */
function settle(
  tx: TenantTransaction,
  ref: AttemptRef,
  { status: asked, message }: AttemptEnd,
  isUnwanted: boolean,
): Promise<SettledEnd> | SettledEnd {
  const status = asked === 'LOST' ? (isUnwanted ? 'CANCELED' : 'FAILED') : asked;
  if (status === 'SUCCEEDED') return endOfSucceeded(tx, ref, message);
  return status === 'CANCELED' ? endOfCanceled(tx, ref, message) : { status, message };
}

/** Checks the frozen data, brings the weights and opens the run. */
async function prepare(
  deps: AttemptDeps,
  keys: MetricKeys,
  ref: AttemptRef,
  signal: AbortSignal,
): Promise<void> {
  const { database, objects, events } = deps;
  const experiment = await inTenant(database, ref, (tx) => liveAttempt(tx, ref));
  const manifest = (await json(await objects.get(experiment.manifestKey, { signal }))) as Manifest;
  if (manifest.digest !== experiment.datasetDigest)
    throw conflict('The stored manifest does not belong to the frozen dataset.');
  const files = trainingFiles(manifest.files, experiment.config);
  if (files.length === 0) throw unprocessable([], 'The dataset has no files to train from.');
  const take = await bringWeights(deps, experiment, signal);
  await inTenant(database, ref, async (tx) => {
    await holdLiveAttempt(tx, ref);
    await take(tx);
    await warnOfCopies({ events }, tx, ref, experiment.config, files);
    await openRunForJob(tx, experiment.trackerRunId);
    await writeBatch(tx, keys, experiment.trackerRunId, {
      metrics: [],
      params: [],
      tags: tagsOf(experiment),
    });
  });
}

export const inTenant = <T>(
  database: Database,
  ref: AttemptRef,
  work: (tx: TenantTransaction) => Promise<T>,
): Promise<T> => database.inTenant(asTenantId(ref.tenantId), work);

/** @throws AppError conflict when the attempt is over, so that late work has no effect */
export async function liveAttempt(tx: TenantTransaction, ref: AttemptRef): Promise<ExperimentRow> {
  const found = await findAttempt(tx, ref);
  if (!found || isTerminal(found.status)) throw conflict('This attempt is over.');
  return found;
}

/**
 * As `liveAttempt`, and the attempt stays live until the transaction ends: its end waits. For activities that write
 * something that outlives the attempt. Lock the experiment first, then what else there is.
 */
export async function holdLiveAttempt(tx: TenantTransaction, ref: AttemptRef): Promise<ExperimentRow> {
  await holdExperiment(tx, ref.experimentId);
  return liveAttempt(tx, ref);
}

/** What later reading of the run needs, also when the experiment has been deleted. */
const tagsOf = (experiment: ExperimentRow) =>
  Object.entries({
    task: experiment.task,
    framework: experiment.framework,
    model: experiment.model,
    'dataset.id': experiment.datasetKey,
    'dataset.digest': experiment.datasetDigest,
    'training.experiment_id': experiment.id,
    'training.attempt': String(experiment.attempt),
    ...(experiment.base && {
      'base.model': experiment.base.name,
      'base.version': String(experiment.base.version),
      'base.sha256': experiment.base.sha256,
    }),
  }).map(([key, value]) => ({ key, value }));

/** Equal images are said where the attempt begins, whatever the validation said when nobody trained yet. */
async function warnOfCopies(
  { events }: Pick<AttemptDeps, 'events'>,
  tx: TenantTransaction,
  ref: AttemptRef,
  { split }: ExperimentConfig,
  files: readonly ManifestFile[],
): Promise<void> {
  const warning = copiesWarning(split.mode, imageCopies(files));
  if (warning === null) return;
  const message = `Warning: ${warning}.`;
  if (await setStepMessage(tx, ref, 'prepare', message))
    tx.afterCommit(() => events.publish([stepEvent(ref, 'prepare', 'running', message)]));
}
