import { AppError, conflict } from '../../core/errors/app-error.js';
import type { EventBus } from '../../core/ports/event-bus.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { findDatasetStatus } from '../../models/datasets/catalog/frozen-dataset.queries.js';
import { findImage } from '../../models/images/image.queries.js';
import { requestModelImage, signalWhenBuilt } from '../../models/images/model-image.commands.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { StateWaits } from '../../models/orm/state-waits.js';
import { createEndpoint } from '../../models/serving/endpoint.commands.js';
import type { AttemptRef } from '../../models/training/experiment.types.js';
import {
  IMAGE_SIGNAL,
  type RegisteredVersion,
  trainingWorkflowId,
} from '../../models/training/training-work.types.js';
import { oncePerActivity, withHeartbeat } from '../support/activity-context.js';
import { holdLiveAttempt, inTenant } from './attempt.activities.js';
import { actorFor, beginStep, breakOffStep, completeStep } from './outcome-steps.js';
import type { TrainingActivities } from './training.activities.js';

export interface PublishDeps {
  readonly database: Database;
  readonly events: EventBus;
  readonly states: StateWaits;
  readonly job: { readonly keys: KeyRing };
}

/** One wait of the activity that attempts of 0.1 call. */
const BUILT_WITHIN_MS = 60_000;

/** From a registered version to an endpoint. */
export function createPublishActivities(
  deps: PublishDeps,
): Pick<
  TrainingActivities,
  'requestTrainedImage' | 'lookAtTrainedImage' | 'buildTrainedImage' | 'createTrainedEndpoint'
> {
  return {
    requestTrainedImage: (ref, version) => requestImage(deps, ref, version),
    lookAtTrainedImage: (ref, imageId) => lookAtImage(deps, ref, imageId),

    buildTrainedImage: (ref, version) =>
      withHeartbeat(async ({ signal }) => {
        const imageId = await requestImage(deps, ref, version);
        const look = () => lookAtImage(deps, ref, imageId);
        const options = { signal, withinMs: BUILT_WITHIN_MS };
        while (!(await deps.states.until(imageId, look, Boolean, options))) signal.throwIfAborted();
        return imageId;
      }),

    createTrainedEndpoint: async (ref, imageId) => {
      try {
        await addEndpoint(deps, ref, imageId);
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'conflict')) throw error;
        await goWithoutEndpoint(deps, ref, error.message);
      }
    },
  };
}

const addEndpoint = ({ database, events, job }: PublishDeps, ref: AttemptRef, imageId: string) =>
  inTenant(database, ref, async (tx) => {
    const experiment = await holdLiveAttempt(tx, ref);
    const { endpoint_name: name, replicas, gpu } = experiment.config.serving;
    await beginStep(events, tx, ref, 'endpoint');
    // The dataset may have been deleted by force meanwhile.
    const validationDatasetId =
      (await findDatasetStatus(tx, experiment.datasetKey)) === null ? null : experiment.datasetKey;
    await oncePerActivity(
      tx,
      async () =>
        void (await createEndpoint(tx, actorFor(experiment), job.keys, {
          name: name ?? '',
          imageId,
          replicas,
          gpu,
          validationDatasetId,
        })),
    );
    await completeStep(events, tx, ref, 'endpoint', `${name} is coming up`);
  });

/**
 * The model is trained and registered: an endpoint whose name was taken meanwhile is no reason to train again.
 * @throws AppError conflict when the attempt is over
 */
const goWithoutEndpoint = ({ database, events }: PublishDeps, ref: AttemptRef, reason: string) =>
  inTenant(database, ref, async (tx) => {
    await holdLiveAttempt(tx, ref);
    await beginStep(events, tx, ref, 'endpoint');
    await breakOffStep(events, tx, ref, 'endpoint', reason);
  });

const requestImage = (
  { database, events }: PublishDeps,
  ref: AttemptRef,
  version: RegisteredVersion,
): Promise<string> =>
  inTenant(database, ref, async (tx) => {
    const experiment = await holdLiveAttempt(tx, ref);
    await beginStep(events, tx, ref, 'image');
    const { id } = await requestModelImage(tx, actorFor(experiment), version.modelName, version.version);
    await signalWhenBuilt(tx, id, { workflowId: trainingWorkflowId(ref), signal: IMAGE_SIGNAL });
    return id;
  });

const lookAtImage = ({ database, events }: PublishDeps, ref: AttemptRef, imageId: string): Promise<boolean> =>
  inTenant(database, ref, async (tx) => {
    const image = await findImage(tx, imageId);
    if (image === null) throw conflict('The model image was removed while it was being built.');
    if (image.status === 'FAILED')
      throw conflict(`The model image could not be built: ${image.statusMessage ?? 'no reason given'}`);
    if (image.status === 'READY') await completeStep(events, tx, ref, 'image', '');
    return image.status === 'READY';
  });
