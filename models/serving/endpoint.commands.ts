import { randomUUID } from 'node:crypto';
import { conflict, fieldError, notFound, unprocessable } from '../../core/errors/app-error.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { keepDataset } from '../datasets/catalog/frozen-dataset.queries.js';
import { Image } from '../images/image.entity.js';
import { findImage } from '../images/image.queries.js';
import { brokenConstraint } from '../orm/errors.js';
import { holdRow, keepRow } from '../orm/hold-row.js';
import { dispatch } from '../outbox/dispatch.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { removeLogSegments } from '../workloads/logs/log-segment.commands.js';
import { newEndpointCredential } from './endpoint-credential.js';
import { findEndpointById } from './endpoint.queries.js';
import {
  assertEndpointName,
  assertGpuWired,
  assertNotLeaving,
  assertStartable,
  assertStoppable,
  isAtRest,
} from './endpoint.rules.js';
import { originOfImage } from './image-origin.rules.js';
import { servingLook, servingStart } from './serving-work.types.js';
import { ServingEndpoint } from './serving.entity.js';
import type { EndpointRow, EndpointStatus, EndpointWish } from './serving.types.js';

export const MAX_REPLICAS = 32;

export interface NewEndpoint {
  readonly name: string;
  readonly imageId: string;
  readonly replicas: number;
  readonly gpu: number;
  readonly validationDatasetId: string | null;
  /** Why no host runs programs that tenants bring; null, or absent, where some does. */
  readonly tenantProgramProblem?: string | null;
}

/**
 * Creates an endpoint and the durable work that brings it up.
 * @param connectTimeoutS how long the inference server may take to answer; absent = ten minutes
 * @throws AppError unprocessable_entity for a bad name, an unknown image or dataset, conflict for a name that is taken, an image
 *   that is not READY or that no host may run, or GPU slots without wiring
 */
export async function createEndpoint(
  tx: TenantTransaction,
  actor: Actor,
  keys: KeyRing,
  wanted: NewEndpoint,
  connectTimeoutS?: number,
): Promise<EndpointRow> {
  assertEndpointName(wanted.name);
  assertReplicas(wanted.replicas);
  const isKept = (await keepRow(tx, Image, { id: wanted.imageId })) !== null;
  const image = isKept ? await findImage(tx, wanted.imageId) : null;
  if (!image) throw unprocessable([fieldError(['body', 'image_id'], 'there is no image of this id')]);
  if (wanted.validationDatasetId !== null && !(await keepDataset(tx, wanted.validationDatasetId)))
    throw unprocessable([fieldError(['body', 'validation_dataset_id'], 'there is no dataset of this id')]);
  if (image.status !== 'READY')
    throw conflict(`The image is ${image.status}; an endpoint needs one that is READY.`, {
      status: image.status,
    });
  if (wanted.tenantProgramProblem && originOfImage(image) === 'tenant')
    throw conflict(wanted.tenantProgramProblem);
  assertGpuWired(wanted.gpu);
  const id = randomUUID();
  await insert(tx, actor, id, keys, wanted);
  await dispatch(tx, {
    kind: 'start',
    start: servingStart({ tenantId: tx.tenantId, endpointId: id, attempt: 1 }, connectTimeoutS),
  });
  await audit(tx, tx.tenantId, actor, {
    action: 'serving.create',
    target: target(id, wanted.name),
    detail: { image_id: wanted.imageId, replicas: wanted.replicas, gpu: wanted.gpu },
  });
  return (await findEndpointById(tx, id)) as EndpointRow;
}

async function insert(
  tx: TenantTransaction,
  actor: Actor,
  id: string,
  keys: KeyRing,
  { name, imageId, replicas, gpu, validationDatasetId }: NewEndpoint,
): Promise<void> {
  const { tenantId, em } = tx;
  em.create(ServingEndpoint, {
    ...{ id, tenantId, name, imageId, replicas, gpu, validationDatasetId },
    workloadId: `ep-${name}-${id.slice(0, 8)}`,
    sealedCredential: newEndpointCredential(keys, tenantId, id),
    statusMessage: 'Waiting for a worker.',
    createdBy: actor.id,
  });
  try {
    await em.flush();
  } catch (error) {
    if (brokenConstraint(error) === 'serving_endpoint_name_key')
      throw conflict(`There is an endpoint named ${name} already.`);
    throw error;
  }
}

/** Keeps the wanted number of a stopped endpoint for its next start. @throws AppError not_found, conflict, unprocessable_entity */
export async function scaleEndpoint(
  tx: TenantTransaction,
  actor: Actor,
  name: string,
  replicas: number,
): Promise<EndpointRow> {
  assertReplicas(replicas);
  const endpoint = await locked(tx, name);
  assertNotLeaving(endpoint);
  const from = endpoint.replicas;
  if (from === replicas) return reread(tx, endpoint);
  change(endpoint, { replicas });
  if (!isAtRest(endpoint)) await look(tx, endpoint);
  const detail = { from, to: replicas };
  await audit(tx, tx.tenantId, actor, { action: 'serving.scale', target: target(endpoint.id, name), detail });
  return reread(tx, endpoint);
}

/** @throws AppError not_found, conflict unless STOPPED or FAILED */
export async function startEndpoint(tx: TenantTransaction, actor: Actor, name: string): Promise<EndpointRow> {
  const endpoint = await locked(tx, name);
  assertStartable(endpoint);
  return order(tx, actor, endpoint, 'run', 'serving.start', 'Starting.');
}

/** @throws AppError not_found, conflict when STOPPED */
export async function stopEndpoint(tx: TenantTransaction, actor: Actor, name: string): Promise<EndpointRow> {
  const endpoint = await locked(tx, name);
  assertStoppable(endpoint);
  return order(tx, actor, endpoint, 'stop', 'serving.stop', 'Stopping.');
}

/** Removes workload, credential and row, in time. Idempotent while that is under way. @throws AppError not_found */
export async function deleteEndpoint(
  tx: TenantTransaction,
  actor: Actor,
  name: string,
): Promise<EndpointRow> {
  return order(tx, actor, await locked(tx, name), 'delete', 'serving.delete', 'Deleting.');
}

/** Asks for a look at once. @throws AppError not_found, conflict while it is being deleted */
export async function checkEndpoint(tx: TenantTransaction, name: string): Promise<EndpointRow> {
  const endpoint = await locked(tx, name);
  assertNotLeaving(endpoint);
  if (!isAtRest(endpoint)) await look(tx, endpoint);
  return reread(tx, endpoint);
}

/**
 * Writes a wish and, in the same transaction, what makes it come true. A wish that stands already is no change, but has its
 * workflow look, and started again should it be gone.
 */
async function order(
  tx: TenantTransaction,
  actor: Actor,
  endpoint: ServingEndpoint,
  wish: EndpointWish,
  action: string,
  statusMessage: string,
): Promise<EndpointRow> {
  const rests = isAtRest(endpoint);
  if (!rests && endpoint.wish === wish) {
    await look(tx, endpoint);
    return reread(tx, endpoint);
  }
  const attempt = rests ? endpoint.attempt + 1 : endpoint.attempt;
  change(endpoint, { wish, attempt, statusMessage });
  const input = { tenantId: tx.tenantId, endpointId: endpoint.id, attempt };
  if (rests) await dispatch(tx, { kind: 'start', start: servingStart(input) });
  else await look(tx, endpoint);
  await audit(tx, tx.tenantId, actor, { action, target: target(endpoint.id, endpoint.name) });
  return reread(tx, endpoint);
}

/** What people order: the revision shows a look under way that it was made for an earlier wish. */
function change(
  endpoint: ServingEndpoint,
  changes: Partial<Pick<ServingEndpoint, 'replicas' | 'wish' | 'attempt' | 'statusMessage'>>,
): void {
  Object.assign(endpoint, changes, { revision: endpoint.revision + 1, updatedAt: new Date() });
}

/** Orders to one endpoint come one after the other, and none between a look at it and what is written of it. */
async function locked(tx: TenantTransaction, name: string): Promise<ServingEndpoint> {
  const endpoint = await holdRow(tx, ServingEndpoint, { name });
  if (!endpoint) throw notFound('Serving endpoint');
  return endpoint;
}

/** As people see it, with its image. */
async function reread(tx: TenantTransaction, endpoint: ServingEndpoint): Promise<EndpointRow> {
  await tx.em.flush();
  return (await findEndpointById(tx, endpoint.id)) as EndpointRow;
}

export interface EndpointFinding {
  readonly status: EndpointStatus;
  readonly message: string | null;
  readonly instances: readonly string[];
}

const MAX_MESSAGE = 1000;

/**
 * Writes what a look has found, unless people ordered something else meanwhile.
 * @param revision the wish that the look was made for
 * @returns false when the wish has changed: look again
 */
export async function recordFinding(
  tx: TenantTransaction,
  id: string,
  revision: number,
  finding: EndpointFinding,
  at: Date,
): Promise<boolean> {
  const endpoint = await holdRow(tx, ServingEndpoint, { id, revision });
  if (!endpoint) return false;
  if (endpoint.status !== finding.status) endpoint.updatedAt = new Date();
  endpoint.status = finding.status;
  endpoint.statusMessage = finding.message?.slice(0, MAX_MESSAGE) ?? null;
  endpoint.instances = [...finding.instances];
  endpoint.readyReplicas = finding.instances.length;
  endpoint.lastHeartbeatAt = at;
  if (finding.status === 'FAILED') endpoint.wish = 'none';
  if (finding.status === 'STOPPED') endpoint.wish = 'stop';
  await tx.em.flush();
  return true;
}

/** Holds an endpoint until the transaction ends. @returns false when people have ordered something else since it was read */
export const holdAsRead = async (
  tx: TenantTransaction,
  { id, revision }: Pick<EndpointRow, 'id' | 'revision'>,
): Promise<boolean> => (await holdRow(tx, ServingEndpoint, { id, revision })) !== null;

/** Removes an endpoint that is to go, with its logs. @returns false when that is no longer so */
export async function removeEndpoint(tx: TenantTransaction, id: string): Promise<boolean> {
  const endpoint = await holdRow(tx, ServingEndpoint, { id, wish: 'delete' });
  if (!endpoint) return false;
  await removeLogSegments(tx, { owner: 'endpoint', ownerId: id });
  tx.em.remove(endpoint);
  await tx.em.flush();
  return true;
}

const look = (tx: TenantTransaction, { id: endpointId, attempt }: ServingEndpoint): Promise<void> =>
  dispatch(tx, servingLook({ tenantId: tx.tenantId, endpointId, attempt }));

function assertReplicas(replicas: number): void {
  if (!Number.isInteger(replicas) || replicas < 1 || replicas > MAX_REPLICAS)
    throw unprocessable([
      fieldError(['body', 'replicas'], `must be an integer from 1 to ${MAX_REPLICAS}; use stop for 0`),
    ]);
}

const target = (id: string, label: string) => ({ kind: 'serving_endpoint', id, label });
