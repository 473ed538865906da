import { createHash, randomUUID } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { AppError, badRequest, notFound } from '../../../core/errors/app-error.js';
import type { MultipartStore, ObjectStore, PartInfo } from '../../../core/ports/object-store.js';
import {
  ANY_MULTIPART,
  giveUpObjects,
  LAST_JOIN_S,
  recordOrphanedObjects,
} from '../../../models/objects/orphaned-object.commands.js';
import { isAwaitedObject } from '../../../models/objects/orphaned-object.queries.js';
import type { Database } from '../../../models/orm/in-tenant.js';
import { artifactPathProblem } from '../../../models/tracker/artifact-path.rules.js';
import type { ArtifactIntake } from '../../tracker/artifact-intake.js';
import { MlflowError } from '../protocol/mlflow-errors.js';
import type { TrackerCaller } from '../protocol/tracker-callers.js';
import { artifactOwner, type ClientArtifactOwner } from './artifact-owner.js';
import type { ArtifactPlace } from './artifact-place.rules.js';
import { isReachable, type PartSent, readUploadId, uploadIdOf } from './multipart.rules.js';

/** Parts are sent within it. */
const ADDRESS_S = 24 * 3600;
/** The bytes are read once more for their digest while the client waits for the answer. */
const MAX_BYTES = 50 * 1024 ** 3;

export interface PartAddress {
  readonly url: string;
  readonly partNumber: number;
}

/**
 * Large files whose parts clients send to the object store itself. The upload's id holds the key; that it is awaited is known
 * by the entry that would have the sweeper remove it.
 */
export class MultipartUploadsService {
  constructor(
    private readonly db: Database,
    private readonly objects: ObjectStore & MultipartStore,
    private readonly intake: ArtifactIntake,
  ) {}

  /** @param host that the client called */
  async isOfferedTo(host: string): Promise<boolean> {
    return isReachable(await this.objects.presign('PUT', 'part', 1), host);
  }

  /**
   * @param host that the client called: a store on this machine alone is of no use to one elsewhere
   * @throws AppError not_found, bad_request; MlflowError NOT_IMPLEMENTED, upon which clients send the file in one piece
   */
  async create(
    caller: TrackerCaller,
    place: ArtifactPlace,
    parts: number,
    host: string,
  ): Promise<{ uploadId: string; addresses: PartAddress[] }> {
    const owner = artifactOwner(caller, place);
    requirePath(place.path);
    const id = randomUUID();
    const key = `${owner.prefix}/${id}`;
    if (!(await this.isOfferedTo(host)))
      throw new MlflowError(
        'NOT_IMPLEMENTED',
        'Multipart upload is not supported for the current artifact repository',
      );
    await this.db.inTenant(owner.tenantId, async (tx) => {
      await owner.row(tx);
      await recordOrphanedObjects(tx, [{ key, multipartId: ANY_MULTIPART }]);
    });
    const multipartId = await this.objects.createMultipart(key);
    const addresses: PartAddress[] = [];
    for (let partNumber = 1; partNumber <= parts; partNumber += 1)
      addresses.push({
        partNumber,
        url: await this.objects.presign('PUT', key, ADDRESS_S, { uploadId: multipartId, partNumber }),
      });
    return { uploadId: uploadIdOf({ id, multipartId }), addresses };
  }

  /** Idempotent. @throws AppError not_found for an upload that is not awaited, bad_request for parts that are not there */
  async complete(
    caller: TrackerCaller,
    place: ArtifactPlace,
    uploadId: string,
    sent: readonly PartSent[],
  ): Promise<void> {
    const owner = artifactOwner(caller, place);
    requirePath(place.path);
    const { id, multipartId } = readUploadId(uploadId);
    const objectKey = `${owner.prefix}/${id}`;
    if (await this.isKept(owner, place.path, objectKey)) return;
    const sizeBytes = await this.join(objectKey, multipartId, sent);
    const digest = createHash('sha256');
    await pipeline(await this.objects.get(objectKey), digest);
    await this.intake.keep(owner, { path: place.path, sizeBytes, sha256: digest.digest('hex'), objectKey });
  }

  /** Idempotent; what is kept already stays. */
  async abort(caller: TrackerCaller, place: ArtifactPlace, uploadId: string): Promise<void> {
    const owner = artifactOwner(caller, place);
    const { id, multipartId } = readUploadId(uploadId);
    const key = `${owner.prefix}/${id}`;
    await this.db.inTenant(owner.tenantId, (tx) => giveUpObjects(tx, [key], LAST_JOIN_S));
    await this.objects.abortMultipart(key, multipartId);
  }

  /** @returns the size of the whole; an earlier call that did not come to its end may have joined the parts */
  private async join(key: string, multipartId: string, sent: readonly PartSent[]): Promise<number> {
    const stored = await this.objects.listParts(key, multipartId).catch(async (error: unknown) => {
      const joined =
        error instanceof AppError && error.code === 'not_found' && (await this.objects.head(key));
      if (!joined) throw error;
      return joined;
    });
    if ('sizeBytes' in stored) return stored.sizeBytes;
    const parts = matched(stored, sent);
    const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
    if (sizeBytes > MAX_BYTES) throw badRequest('A single artifact may have 50 GiB at most.');
    await this.objects.completeMultipart(key, multipartId, parts);
    return sizeBytes;
  }

  /** Whether an earlier call has done it all. */
  private isKept(owner: ClientArtifactOwner, path: string, objectKey: string): Promise<boolean> {
    return this.db.inTenant(owner.tenantId, async (tx) => {
      const row = await owner.row(tx);
      if (await isAwaitedObject(tx, objectKey)) return false;
      if ((await owner.find(tx, row, path))?.objectKey === objectKey) return true;
      throw notFound('Upload');
    });
  }
}

function requirePath(path: string): void {
  const problem = artifactPathProblem(path);
  if (problem !== null) throw badRequest(`The artifact path ${problem}.`);
}

/** The parts that the client names, as the store has them. */
function matched(stored: readonly PartInfo[], sent: readonly PartSent[]): PartInfo[] {
  return sent.map(({ partNumber, etag }, at) => {
    const found = stored.find((part) => part.partNumber === partNumber && part.etag === etag);
    if (partNumber !== at + 1 || found === undefined)
      throw badRequest(
        `Part ${at + 1} is not there as it is named: name all parts in order, with the ETag of each.`,
      );
    return found;
  });
}
