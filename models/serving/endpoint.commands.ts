import { randomUUID } from 'node:crypto';
import { conflict, fieldError, notFound, unprocessable } from '../../core/errors/app-error.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { keepDataset } from '../datasets/dataset.repository.js';
import { findImage } from '../images/image.repository.js';
import { brokenConstraint } from '../orm/database-errors.js';
import { dispatch } from '../orm/dispatch.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { newEndpointCredential } from './endpoint-credential.js';
import { findEndpointById, lockEndpoint } from './endpoint.repository.js';
import { assertEndpointName, assertNotLeaving, assertStartable, assertStoppable, isAtRest } from './endpoint.rules.js';
import { LOOK_SIGNAL, servingStart, servingWorkflowId } from './serving-work.types.js';
import type { EndpointRow, EndpointWish } from './serving.types.js';

export const MAX_REPLICAS = 32;

export interface NewEndpoint {
  readonly name: string;
  readonly imageId: string;
  readonly replicas: number;
  readonly gpu: number;
  readonly validationDatasetId: string | null;
}

/**
 * Creates an endpoint and the durable work that brings it up.
 * @param connectTimeoutS how long the inference server may take to answer; absent = ten minutes
 * @throws AppError unprocessable_entity for a bad name, an unknown image or dataset, conflict for a name that is taken, an image
 *   that is not READY or GPU slots without wiring
 */
export async function createEndpoint(tx: TenantTransaction, actor: Actor, keys: KeyRing, wanted: NewEndpoint, connectTimeoutS?: number): Promise<EndpointRow> {
  assertEndpointName(wanted.name);
  assertReplicas(wanted.replicas);
  const image = await findImage(tx, wanted.imageId);
  if (!image) throw unprocessable([fieldError(['body', 'image_id'], 'there is no image of this id')]);
  if (wanted.validationDatasetId !== null && !(await keepDataset(tx, wanted.validationDatasetId)))
    throw unprocessable([fieldError(['body', 'validation_dataset_id'], 'there is no dataset of this id')]);
  if (image.status !== 'READY') throw conflict(`The image is ${image.status}; an endpoint needs one that is READY.`, { status: image.status });
  if (wanted.gpu > 0) throw conflict('The tenant has no GPU wiring: create the endpoint with gpu 0, or ask a global administrator to wire a pool.', { gpu: wanted.gpu });
  const id = randomUUID();
  await insert(tx, actor, id, keys, wanted);
  await dispatch(tx, { kind: 'start', start: servingStart({ tenantId: tx.tenantId, endpointId: id, attempt: 1 }, connectTimeoutS) });
  await audit(tx, tx.tenantId, actor, {
    action: 'serving.create',
    target: target(id, wanted.name),
    detail: { image_id: wanted.imageId, replicas: wanted.replicas, gpu: wanted.gpu },
  });
  return (await findEndpointById(tx, id)) as EndpointRow;
}

async function insert(tx: TenantTransaction, actor: Actor, id: string, keys: KeyRing, wanted: NewEndpoint): Promise<void> {
  try {
    await tx.execute(
      `insert into serving_endpoint (id, tenant_id, name, image_id, replicas, gpu, validation_dataset_id, workload_id, sealed_credential, created_by, status_message)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'Waiting for a worker.')`,
      [
        id,
        tx.tenantId,
        wanted.name,
        wanted.imageId,
        wanted.replicas,
        wanted.gpu,
        wanted.validationDatasetId,
        `ep-${wanted.name}-${id.slice(0, 8)}`,
        newEndpointCredential(keys, tx.tenantId, id),
        actor.id,
      ],
    );
  } catch (error) {
    if (brokenConstraint(error) === 'serving_endpoint_name_key') throw conflict(`There is an endpoint named ${wanted.name} already.`);
    throw error;
  }
}

/** Keeps the wanted number of a stopped endpoint for its next start. @throws AppError not_found, conflict, unprocessable_entity */
export async function scaleEndpoint(tx: TenantTransaction, actor: Actor, name: string, replicas: number): Promise<EndpointRow> {
  assertReplicas(replicas);
  const endpoint = await locked(tx, name);
  assertNotLeaving(endpoint);
  if (endpoint.replicas === replicas) return endpoint;
  await tx.execute('update serving_endpoint set replicas = $3, revision = revision + 1, updated_at = now() where tenant_id = $1 and id = $2', [tx.tenantId, endpoint.id, replicas]);
  if (!isAtRest(endpoint)) await look(tx, endpoint);
  await audit(tx, tx.tenantId, actor, { action: 'serving.scale', target: target(endpoint.id, name), detail: { from: endpoint.replicas, to: replicas } });
  return (await findEndpointById(tx, endpoint.id)) as EndpointRow;
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
export async function deleteEndpoint(tx: TenantTransaction, actor: Actor, name: string): Promise<EndpointRow> {
  return order(tx, actor, await locked(tx, name), 'delete', 'serving.delete', 'Deleting.');
}

/** Asks for a look at once. @throws AppError not_found, conflict while it is being deleted */
export async function checkEndpoint(tx: TenantTransaction, name: string): Promise<EndpointRow> {
  const endpoint = await locked(tx, name);
  assertNotLeaving(endpoint);
  if (!isAtRest(endpoint)) await look(tx, endpoint);
  return endpoint;
}

/** Writes a wish and, in the same transaction, what makes it come true. A wish that stands already is no change. */
async function order(tx: TenantTransaction, actor: Actor, endpoint: EndpointRow, wish: EndpointWish, action: string, message: string): Promise<EndpointRow> {
  const rests = isAtRest(endpoint);
  if (!rests && endpoint.wish === wish) return endpoint;
  const attempt = rests ? endpoint.attempt + 1 : endpoint.attempt;
  await tx.execute('update serving_endpoint set wish = $3, revision = revision + 1, attempt = $4, status_message = $5, updated_at = now() where tenant_id = $1 and id = $2', [
    tx.tenantId,
    endpoint.id,
    wish,
    attempt,
    message,
  ]);
  if (rests) await dispatch(tx, { kind: 'start', start: servingStart({ tenantId: tx.tenantId, endpointId: endpoint.id, attempt }) });
  else await look(tx, endpoint);
  await audit(tx, tx.tenantId, actor, { action, target: target(endpoint.id, endpoint.name) });
  return (await findEndpointById(tx, endpoint.id)) as EndpointRow;
}

async function locked(tx: TenantTransaction, name: string): Promise<EndpointRow> {
  const endpoint = await lockEndpoint(tx, name);
  if (!endpoint) throw notFound('Serving endpoint');
  return endpoint;
}

async function look(tx: TenantTransaction, endpoint: EndpointRow): Promise<void> {
  const workflowId = servingWorkflowId({ tenantId: tx.tenantId, endpointId: endpoint.id, attempt: endpoint.attempt });
  await dispatch(tx, { kind: 'signal', tenantId: tx.tenantId, workflowId, signal: LOOK_SIGNAL, args: [] });
}

function assertReplicas(replicas: number): void {
  if (!Number.isInteger(replicas) || replicas < 1 || replicas > MAX_REPLICAS)
    throw unprocessable([fieldError(['body', 'replicas'], `must be an integer from 1 to ${MAX_REPLICAS}; use stop for 0`)]);
}

const target = (id: string, label: string) => ({ kind: 'serving_endpoint', id, label });
