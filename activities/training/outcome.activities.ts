import { createHash, type Hash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { conflict, unprocessable } from '../../core/errors/app-error.js';
import type { EventBus } from '../../core/ports/event-bus.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import {
  adoptObjects,
  freeObjects,
  recordOrphanedObjects,
} from '../../models/objects/orphaned-object.commands.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { MODEL_FOLDER } from '../../models/registry/register-version.commands.js';
import { artifactPrefix, putArtifact } from '../../models/tracker/artifact.commands.js';
import { listArtifactsBelow } from '../../models/tracker/artifact.queries.js';
import { LOG_ARTIFACT } from '../../models/tracker/log-artifact.js';
import { registerRun } from '../../models/tracker/register-run.commands.js';
import { closeRunForJob } from '../../models/tracker/run.commands.js';
import { findRun } from '../../models/tracker/run.queries.js';
import type { RunSummary } from '../../models/tracker/run.types.js';
import { stateEvent } from '../../models/training/experiment-events.js';
import { findAttempt } from '../../models/training/experiment.queries.js';
import { advance } from '../../models/training/experiment-state.commands.js';
import type { AttemptRef } from '../../models/training/experiment.types.js';
import { classesOfTraining } from '../../models/training/learned-classes.queries.js';
import { attemptLog } from '../../models/training/logs/attempt-log.queries.js';
import { findLogCursor } from '../../models/workloads/logs/log.queries.js';
import { readLog } from '../../models/workloads/logs/log-reader.js';
import { withHeartbeat } from '../support/activity-context.js';
import { holdLiveAttempt, inTenant } from './attempt.activities.js';
import { actorFor, beginStep, completeStep } from './outcome-steps.js';
import type { TrainingActivities } from './training.activities.js';

export interface OutcomeDeps {
  readonly database: Database;
  readonly objects: ObjectStore;
  readonly events: EventBus;
}

type Outcome = Pick<TrainingActivities, 'finalizeAttempt' | 'registerTrainedModel' | 'storeAttemptLog'>;

/** What becomes of a training that ended well. */
export function createOutcomeActivities(deps: OutcomeDeps): Outcome {
  const { database } = deps;
  return {
    finalizeAttempt: (ref) => withHeartbeat(() => finalize(deps, ref)),

    storeAttemptLog: (ref) =>
      withHeartbeat(async () => {
        const run = await inTenant(database, ref, async (tx) => {
          const experiment = await findAttempt(tx, ref);
          return experiment && findRun(tx, experiment.trackerRunId);
        });
        if (run) await storeLog(deps, ref, run);
      }),

    registerTrainedModel: (ref) =>
      inTenant(database, ref, async (tx) => {
        const experiment = await holdLiveAttempt(tx, ref);
        await beginStep(deps.events, tx, ref, 'register');
        const version = await registerRun(tx, actorFor(experiment), {
          runId: experiment.trackerRunId,
          modelName: experiment.config.register_model_name,
          key: `training:${ref.experimentId}:${ref.attempt}`,
          classesOf: classesOfTraining,
        });
        await completeStep(deps.events, tx, ref, 'register', `${version.name} version ${version.version}`);
        return { versionId: version.id, modelName: version.name, version: version.version };
      }),
  };
}

async function finalize(deps: OutcomeDeps, ref: AttemptRef): Promise<void> {
  const { database, events } = deps;
  const run = await inTenant(database, ref, async (tx) => {
    const experiment = await holdLiveAttempt(tx, ref);
    const message = 'Storing log and artifacts.';
    if (await advance(tx, ref, 'FINALIZING', message))
      tx.afterCommit(() => events.publish([stateEvent(ref, 'FINALIZING', message)]));
    await completeStep(deps.events, tx, ref, 'train', '');
    await beginStep(deps.events, tx, ref, 'finalize');
    return (await findRun(tx, experiment.trackerRunId)) as RunSummary;
  });
  await storeLog(deps, ref, run);
  const files = await checkModel(deps, ref, run);
  await inTenant(database, ref, async (tx) => {
    await holdLiveAttempt(tx, ref);
    await closeRunForJob(tx, run.runId);
    await completeStep(deps.events, tx, ref, 'finalize', `${files} model files`);
  });
}

/** The log becomes one artifact. A repeat stores it again under another key and drops the first. */
async function storeLog({ database, objects }: OutcomeDeps, ref: AttemptRef, run: RunSummary): Promise<void> {
  const { stored } = await inTenant(database, ref, (tx) => findLogCursor(tx, attemptLog(ref)));
  if (stored === 0) return;
  const objectKey = `${artifactPrefix(ref.tenantId, run.runId)}/${randomUUID()}`;
  const digest = createHash('sha256');
  await inTenant(database, ref, (tx) => recordOrphanedObjects(tx, [{ key: objectKey }]));
  await objects.put(
    objectKey,
    Readable.from(hashed(readLog({ database, objects }, attemptLog(ref)), digest), { objectMode: false }),
    stored,
    { contentType: 'text/plain; charset=utf-8' },
  );
  await inTenant(database, ref, async (tx) => {
    const replaced = await putArtifact(tx, run.row, {
      path: LOG_ARTIFACT,
      sizeBytes: stored,
      sha256: digest.digest('hex'),
      objectKey,
    });
    await adoptObjects(tx, [objectKey]);
    if (replaced !== null) await freeObjects(tx, [{ key: replaced }]);
  });
}

async function* hashed(pieces: AsyncIterable<Buffer>, digest: Hash): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    digest.update(piece);
    yield piece;
  }
}

/** A training that ended well has stored its model. @returns how many files it has */
async function checkModel(
  { database, objects }: OutcomeDeps,
  ref: AttemptRef,
  run: RunSummary,
): Promise<number> {
  const files = await inTenant(database, ref, (tx) =>
    listArtifactsBelow(tx, run.row, MODEL_FOLDER.slice(0, -1)),
  );
  if (files.length === 0) throw unprocessable([], 'The training ended without storing a model.');
  for (const file of files) {
    const found = await objects.head(file.objectKey);
    if (found?.sizeBytes !== file.sizeBytes)
      throw conflict(`The stored model is not complete: ${file.path} is missing or has another size.`);
  }
  return files.length;
}
