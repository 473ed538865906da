import { randomUUID } from 'node:crypto';
import { AppError, fieldError, notFound, unprocessable } from '../../core/errors/app-error.js';
import { requireLine } from '../../core/text/line-text.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { brokenConstraint } from '../orm/errors.js';
import { keepRow } from '../orm/hold-row.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { dispatch } from '../outbox/dispatch.js';
import { Model } from '../registry/model.entity.js';
import type { ModelVersionRow } from '../registry/model.types.js';
import { assertConditions } from '../registry/promotion/promotion-request.rules.js';
import type { RollbackCondition } from '../registry/promotion/promotion.types.js';
import { findVersion, lockVersion } from '../registry/version.queries.js';
import { assertFree } from './devices/busy-device.queries.js';
import type { Moving } from './devices/device-moves.sql.js';
import type { DeviceEvents } from './devices/device-events.js';
import { insertDevices, supersedeEnded } from './devices/deployment-device.sql.js';
import { wakeDeploymentsOf } from './follow-up/wake-deployments.commands.js';
import { deploymentStart } from './follow-up/deployment-work.types.js';
import type { DeploymentView } from './deployment-view.rules.js';
import { Deployment } from './deployment.entity.js';
import { findDeployment } from './deployment.queries.js';
import type { GroupWish, Strategy, Targets, Window } from './deployment.types.js';
import { addLine } from './deployment-log.commands.js';
import { FIELD_METRICS } from './devices/field-metrics.rules.js';
import { assertGroups, planGroups } from './group-plan.rules.js';
import { listTargets, listUnknown, MAX_DEVICES, type TargetDevice } from './devices/target.queries.js';
import { assertWindow } from './window.rules.js';

export interface NewDeployment {
  readonly modelName: string;
  readonly version: number;
  /** Key. */
  readonly targetDevice: string | null;
  readonly targets: Targets | null;
  readonly strategy: Strategy;
  readonly image: string | null;
  readonly previousVersion: number | null;
  readonly groups: readonly GroupWish[];
  readonly window: Window | null;
  readonly rollbackOn: readonly RollbackCondition[];
}

const EVERY: Targets = { ids: null, location: null, os: null, currentVersion: null };

export const deploymentTarget = (id: string, modelName: string, version: number) => ({
  ...{ kind: 'deployment', id },
  label: `${modelName} ${version}`,
});

/**
 * Writes the deployment with the devices that it is for, in their groups, and the durable work that runs it. Devices
 * that are added later do not take part.
 * @throws AppError not_found for the model version or a device that is named; unprocessable_entity for groups, window,
 *   conditions and a previous version that make no sense, and where no device is meant; conflict naming the deployment
 *   that one of the devices still has to do for this model
 * @param deviceEvents gets what happens to devices that an ended deployment left
 */
export async function createDeployment(
  tx: TenantTransaction,
  actor: Actor,
  wanted: NewDeployment,
  deviceEvents: DeviceEvents,
): Promise<DeploymentView> {
  // Before its versions, as whoever deletes one of them does.
  await keepRow(tx, Model, { name: wanted.modelName });
  await assertSensible(tx, wanted);
  const version = await lockVersion(tx, wanted.modelName, wanted.version);
  if (!version) throw notFound('Model version');
  const devices = await findTargets(tx, version.modelId, wanted);
  const id = randomUUID();
  await takeDevices({ tx, deviceEvents }, version.modelId, devices);
  const groups = planGroups(devices.length, wanted.strategy, wanted.groups);
  tx.em.create(Deployment, {
    ...rowOf(wanted, version),
    id,
    tenantId: tx.tenantId,
    groups,
    counts: groups.map(({ size: count }, groupNo) => ({ groupNo, step: 'queued', failedStep: null, count })),
    ...askedBy(actor),
  });
  await tx.em.flush();
  const placed = groups.flatMap(({ size }, groupNo) => Array.from({ length: size }, () => groupNo));
  await insertAll(
    tx,
    { id, modelId: version.modelId },
    wanted.version,
    devices.map((device, at) => ({ ...device, groupNo: placed[at] as number })),
  );
  await addLine(tx, id, `${actorName(actor)} asked for it: ${inWords(devices.length, groups.length)}.`);
  await dispatch(tx, {
    kind: 'start',
    start: deploymentStart({ tenantId: tx.tenantId, deploymentId: id, attempt: 1 }),
  });
  await audit(tx, tx.tenantId, actor, {
    action: 'deployment.create',
    target: deploymentTarget(id, wanted.modelName, wanted.version),
    detail: { devices: devices.length, device: wanted.targetDevice, strategy: wanted.strategy },
  });
  return (await findDeployment(tx, id)) as DeploymentView;
}

async function assertSensible(tx: TenantTransaction, wanted: NewDeployment): Promise<void> {
  const { targetDevice, targets, groups, window, rollbackOn, previousVersion } = wanted;
  if (targetDevice !== null && targets !== null)
    throw unprocessable([
      fieldError(['body', 'targets'], 'must be left out where target_device_id is given'),
    ]);
  requireLine(targets?.location ?? null, 'location');
  requireLine(targets?.os ?? null, 'os');
  assertGroups(groups);
  if (window) assertWindow(window);
  assertConditions(rollbackOn, 'rollback_on');
  assertMeasured(rollbackOn);
  if (previousVersion === null) return;
  if (previousVersion === wanted.version)
    throw unprocessable([fieldError(['body', 'previous_version'], 'must be another version')]);
  if (!(await findVersion(tx, wanted.modelName, previousVersion)))
    throw unprocessable([fieldError(['body', 'previous_version'], 'is not a version of the model')]);
}

/** A metric that nothing measures would hold nothing for ever. */
function assertMeasured(conditions: readonly RollbackCondition[]): void {
  const problems = conditions.flatMap(({ metric }, at) =>
    FIELD_METRICS.includes(metric)
      ? []
      : [fieldError(['body', 'rollback_on', at, 'metric'], `must be one of ${FIELD_METRICS.join(', ')}`)],
  );
  if (problems.length > 0) throw unprocessable(problems);
}

async function findTargets(
  tx: TenantTransaction,
  modelId: string,
  { targetDevice, targets }: NewDeployment,
): Promise<TargetDevice[]> {
  const ids = targetDevice === null ? (targets?.ids ?? null) : [targetDevice];
  const found = await listTargets(tx, modelId, { ...(targets ?? EVERY), ids });
  if (targetDevice !== null && found.length === 0) throw notFound('Device');
  const unknown = await listUnknown(tx, targets?.ids ?? []);
  if (unknown.length > 0)
    throw unprocessable([
      fieldError(
        ['body', 'targets', 'ids'],
        `name no device of this tenant: ${unknown.slice(0, 5).join(', ')}`,
      ),
    ]);
  if (found.length === 0)
    throw unprocessable([fieldError(['body', 'targets'], 'no device of this tenant is meant')]);
  if (found.length > MAX_DEVICES)
    throw unprocessable([
      fieldError(['body', 'targets'], `more than ${MAX_DEVICES} devices are meant; take several deployments`),
    ]);
  return found;
}

async function takeDevices(moving: Moving, modelId: string, devices: readonly TargetDevice[]): Promise<void> {
  const ids = devices.map(({ id }) => id);
  await assertFree(moving.tx, modelId, ids);
  await wakeDeploymentsOf(moving.tx, ids);
  await supersedeEnded(moving, modelId, ids);
}

async function insertAll(...args: Parameters<typeof insertDevices>): Promise<void> {
  try {
    await insertDevices(...args);
  } catch (error) {
    if (!isTakenMeanwhile(error)) throw error;
    const message =
      'Another deployment of this model took one of the devices a moment ago; look at the list.';
    throw new AppError('conflict', message, null, { cause: error });
  }
}

/** Another one took a device at the same moment: a second try, in a transaction of its own, sees which it was. */
export const isTakenMeanwhile = (error: unknown): boolean =>
  brokenConstraint(error) === 'deployment_device_open_key';

const rowOf = (wanted: NewDeployment, version: ModelVersionRow) => ({
  ...{ modelId: version.modelId, version: version.version, datasetDigest: version.datasetDigest },
  ...{
    targetDevice: wanted.targetDevice,
    targets: wanted.targetDevice === null ? (wanted.targets ?? EVERY) : null,
  },
  ...{ strategy: wanted.strategy, image: wanted.image, previousVersion: wanted.previousVersion },
  ...{ maintenanceWindow: wanted.window, rollbackOn: wanted.rollbackOn },
  isWatched: wanted.rollbackOn.length > 0,
  statusMessage: 'Waiting for its turn.',
});

const actorName = (actor: Actor): string => actor.fullName ?? actor.email ?? 'Somebody';
const askedBy = (actor: Actor) => ({
  requestedByName: actor.fullName ?? actor.email,
  createdBy: actor.id,
});

const inWords = (devices: number, groups: number): string =>
  `${devices} ${devices === 1 ? 'device' : 'devices'}${groups === 1 ? '' : ` in ${groups} groups`}`;
