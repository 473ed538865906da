import { conflict } from '../../core/errors/app-error.js';
import type { EventBus } from '../../core/ports/event-bus.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { findDatasetStatus } from '../../models/datasets/catalog/frozen-dataset.queries.js';
import { findImage } from '../../models/images/image.queries.js';
import { requestModelImage } from '../../models/images/model-image.commands.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { StateWaits } from '../../models/orm/state-waits.js';
import { createEndpoint } from '../../models/serving/endpoint.commands.js';
import type { AttemptRef } from '../../models/training/experiment.types.js';
import type { RegisteredVersion } from '../../models/training/training-work.types.js';
import { oncePerActivity, withHeartbeat } from '../support/activity-context.js';
import { holdLiveAttempt, inTenant } from './attempt.activities.js';
import { actorFor, beginStep, completeStep } from './outcome-steps.js';
import type { TrainingActivities } from './training.activities.js';

export interface PublishDeps {
  readonly database: Database;
  readonly events: EventBus;
  readonly states: StateWaits;
  readonly job: { readonly keys: KeyRing };
}

/** A build takes seconds; the wait for a longer one begins anew. */
const BUILT_WITHIN_MS = 60_000;

/** From a registered version to an endpoint. */
export function createPublishActivities(
  deps: PublishDeps,
): Pick<TrainingActivities, 'buildTrainedImage' | 'createTrainedEndpoint'> {
  const { database, events } = deps;
  return {
    buildTrainedImage: (ref, version) =>
      withHeartbeat(({ signal }) => buildImage(deps, ref, version, signal)),

    createTrainedEndpoint: (ref, imageId) =>
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
            void (await createEndpoint(tx, actorFor(experiment), deps.job.keys, {
              name: name ?? '',
              imageId,
              replicas,
              gpu,
              validationDatasetId,
            })),
        );
        await completeStep(events, tx, ref, 'endpoint', `${name} is coming up`);
      }),
  };
}

async function buildImage(
  deps: PublishDeps,
  ref: AttemptRef,
  version: RegisteredVersion,
  signal: AbortSignal,
): Promise<string> {
  const { database } = deps;
  const asked = await inTenant(database, ref, async (tx) => {
    const experiment = await holdLiveAttempt(tx, ref);
    await beginStep(deps.events, tx, ref, 'image');
    return requestModelImage(tx, actorFor(experiment), version.modelName, version.version);
  });
  while (!(await isBuilt(deps, ref, asked.id, signal))) signal.throwIfAborted();
  await inTenant(database, ref, (tx) => completeStep(deps.events, tx, ref, 'image', ''));
  return asked.id;
}

async function isBuilt(
  { database, states }: PublishDeps,
  ref: AttemptRef,
  imageId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const image = await states.until(
    imageId,
    () => inTenant(database, ref, (tx) => findImage(tx, imageId)),
    (now) => now === null || now.status === 'READY' || now.status === 'FAILED',
    { signal, withinMs: BUILT_WITHIN_MS },
  );
  if (image === null) throw conflict('The model image was removed while it was being built.');
  if (image.status === 'FAILED')
    throw conflict(`The model image could not be built: ${image.statusMessage ?? 'no reason given'}`);
  return image.status === 'READY';
}
