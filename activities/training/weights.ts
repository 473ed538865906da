import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { conflict, unprocessable } from '../../core/errors/app-error.js';
import type { MultipartStore, ObjectStore, PartInfo } from '../../core/ports/object-store.js';
import type { OperatorWeights } from '../../core/ports/operator-weights.js';
import { isPassingFailure, type RemoteFiles, sourceFailureOf } from '../../core/ports/remote-source.js';
import { asTenantId } from '../../core/security/ids.js';
import {
  adoptObjects,
  ANY_MULTIPART,
  freeObjects,
  LAST_JOIN_S,
  WRITE_WITHIN_S,
} from '../../models/objects/orphaned-object.commands.js';
import { findVersionObject } from '../../models/registry/version.queries.js';
import type { BaseVersion } from '../../models/registry/model.types.js';
import { goneBase } from '../../models/training/base-version.commands.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import type { ExperimentRow } from '../../models/training/experiment.queries.js';
import { type AttemptWeights, attemptWeights } from '../../models/training/weights.rules.js';

export interface WeightsDeps {
  readonly database: Database;
  readonly objects: ObjectStore & MultipartStore;
  readonly remote: RemoteFiles;
  readonly weights: OperatorWeights;
}

const PART_BYTES = 16 * 2 ** 20;
/** More is no network that this platform trains. */
const MAX_BYTES = 8 * 2 ** 30;

/**
 * Copies the weights that an attempt begins with into the object store, where its host gets them, whichever that is.
 * @returns to be called in the transaction that goes on with the attempt: they are its own from then on
 * @throws AppError when they cannot be had, or have another sha256
 */
export async function bringWeights(
  deps: WeightsDeps,
  experiment: ExperimentRow,
  signal: AbortSignal,
): Promise<(tx: TenantTransaction) => Promise<void>> {
  const wanted = attemptWeights(experiment);
  if (wanted === null) return async () => undefined;
  const { objectKey: key } = wanted;
  // Recorded before they are written, so that the sweeper finds what a killed worker leaves.
  await deps.database.inTenant(asTenantId(experiment.tenantId), (tx) =>
    freeObjects(tx, [{ key, multipartId: ANY_MULTIPART }], WRITE_WITHIN_S),
  );
  await store(deps.objects, await openWeights(deps, experiment, wanted, signal), wanted, signal);
  return (tx) => adoptObjects(tx, [key]);
}

/** The attempt is over: nobody begins with its copy any more. */
export async function freeWeights(tx: TenantTransaction, experiment: ExperimentRow): Promise<void> {
  const had = attemptWeights(experiment);
  if (had !== null) await freeObjects(tx, [{ key: had.objectKey, multipartId: ANY_MULTIPART }], LAST_JOIN_S);
}

async function openWeights(
  deps: WeightsDeps,
  { tenantId, framework, model, base }: ExperimentRow,
  { url }: AttemptWeights,
  signal: AbortSignal,
): Promise<Readable> {
  const { remote, weights } = deps;
  if (url !== null) return remote.openAddress(tenantId, url, signal).catch(asFinal);
  if (base !== null) return openBase(deps, tenantId, base, signal);
  const placed = await weights.find(framework, model);
  if (placed === null)
    throw conflict(`The folder SERVICE_WEIGHTS_DIR of this worker has no weights of ${model}.`);
  return weights.open(placed);
}

/** The file of the version itself. */
async function openBase(
  { database, objects }: WeightsDeps,
  tenantId: string,
  base: BaseVersion,
  signal: AbortSignal,
): Promise<Readable> {
  const key = await database.inTenant(asTenantId(tenantId), (tx) =>
    findVersionObject(tx, base.versionId, base.sha256),
  );
  if (key === null) throw goneBase(base);
  return objects.get(key, { signal });
}

/** What no further try would repair ends the attempt at once. */
function asFinal(error: unknown): never {
  const failure = sourceFailureOf(error);
  if (failure === null || isPassingFailure(error)) throw error;
  throw unprocessable([], `The weights cannot be had: ${(error as Error).message}`);
}

/** Nothing is kept unless all of it has come with the sha256 that was agreed. */
async function store(
  objects: ObjectStore & MultipartStore,
  body: Readable,
  wanted: AttemptWeights,
  signal: AbortSignal,
): Promise<void> {
  const { objectKey, sha256 } = wanted;
  const digest = createHash('sha256');
  const parts: PartInfo[] = [];
  try {
    const uploadId = await objects.createMultipart(objectKey);
    for await (const part of partsOf(body)) {
      signal.throwIfAborted();
      digest.update(part);
      parts.push(await objects.putPart(objectKey, uploadId, parts.length + 1, part, part.length, signal));
    }
    const found = digest.digest('hex');
    if (found !== sha256) throw otherWeights(wanted, found);
    await objects.completeMultipart(objectKey, uploadId, parts);
  } catch (error) {
    await objects.abortMultipart(objectKey, null).catch(() => undefined);
    throw error;
  } finally {
    body.on('error', () => undefined).destroy();
  }
}

function otherWeights({ source, url, file, sha256 }: AttemptWeights, found: string) {
  const places = { catalog: "of the operator's folder", model: `of the version ${file}` };
  const place = source === 'url' ? `at ${new URL(url as string).host}` : places[source];
  return unprocessable(
    [],
    `The weights ${place} have the sha256 ${found}, and not ${sha256}: no training begins with them.`,
  );
}

async function* partsOf(body: Readable): AsyncGenerator<Buffer> {
  let [pieces, length, total]: [Buffer[], number, number] = [[], 0, 0];
  for await (const piece of body as AsyncIterable<Buffer>) {
    pieces.push(piece);
    length += piece.length;
    total += piece.length;
    if (total > MAX_BYTES) throw unprocessable([], 'The weights have more than 8 GiB.');
    if (length < PART_BYTES) continue;
    yield Buffer.concat(pieces);
    [pieces, length] = [[], 0];
  }
  if (length > 0) yield Buffer.concat(pieces);
}
