import { AppError, notFound, unprocessable } from '../../core/errors/app-error.js';
import type { ArchiveReader } from '../../core/ports/archive-reader.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import { asTenantId } from '../../core/security/ids.js';
import { ARCHIVE_LIMITS, notAnArchive, SESSION_LIMITS } from '../../models/datasets/archive.rules.js';
import { failUpload, finishUpload, newObjectKey } from '../../models/datasets/dataset-upload.commands.js';
import { findUploadById, keepMultipart, listChunks, type UploadRow } from '../../models/datasets/dataset-upload.repository.js';
import type { AssemblyHold, AssemblyLane, UploadInput } from '../../models/datasets/dataset-work.types.js';
import { isZip, recognizeFile } from '../../models/datasets/file-type.rules.js';
import { giveUpObjects, LAST_WRITES_S, noteLooseObjects } from '../../models/objects/loose-object.repository.js';
import type { Database } from '../../models/orm/database.js';
import { type Beat, withHeartbeat } from '../support/activity-context.js';
import { unpackArchive } from './archive-unpacker.js';
import { AssemblyLanes } from './assembly-lanes.js';
import { joinChunks } from './chunk-joiner.js';
import { digestObject, objectAccess, readHead } from '../../models/objects/object-access.js';

export interface UploadActivityDeps {
  readonly database: Database;
  readonly objects: ObjectStore;
  readonly archives: ArchiveReader;
}

/** What an assembled upload turned out to be. */
export interface UploadFacts {
  readonly sha256: string;
  readonly isZip: boolean;
}

export interface DatasetUploadActivities {
  /** Makes one object of the chunks. Idempotent. */
  joinUpload(input: UploadInput, lane?: AssemblyLane): Promise<undefined | AssemblyHold>;
  /** Hashes the object, unless that was done while it came, and compares it with what was promised. */
  inspectUpload(input: UploadInput, lane?: AssemblyLane): Promise<UploadFacts | AssemblyHold>;
  /** Makes the object a file of the dataset and ends the session. Idempotent. */
  registerUpload(input: UploadInput, facts: UploadFacts): Promise<void>;
  /** Unpacks the object, makes the members files, all at once, and ends the session. Idempotent. */
  unpackUpload(input: UploadInput, lane?: AssemblyLane): Promise<undefined | AssemblyHold>;
  failDatasetUpload(input: UploadInput, reason: { code: string; message: string }): Promise<void>;
}

export function createDatasetUploadActivities(deps: UploadActivityDeps): DatasetUploadActivities {
  const { database, objects } = deps;
  const lanes = new AssemblyLanes();
  const load = async (input: UploadInput): Promise<UploadRow> => {
    const upload = await database.inTenant(asTenantId(input.tenantId), (tx) => findUploadById(tx, input.uploadId));
    if (!upload) throw notFound('Upload session');
    return upload;
  };

  return {
    joinUpload: (input, lane) =>
      withHeartbeat((beat) =>
        lanes.run(input.tenantId, lane, beat.signal, async (signal): Promise<undefined> => {
          const upload = await load(input);
          const tenantId = asTenantId(input.tenantId);
          if (upload.is_archive || upload.state !== 'assembling') return;
          const chunks = await database.inTenant(tenantId, (tx) => listChunks(tx, upload.id));
          await joinChunks({ objects, signal, keepMultipart: (id) => database.inTenant(tenantId, (tx) => keepMultipart(tx, upload.id, id)) }, upload, chunks);
        }),
      ),

    inspectUpload: (input, lane) => withHeartbeat((beat) => lanes.run(input.tenantId, lane, beat.signal, async (signal) => inspect(objects, await load(input), signal))),

    registerUpload: (input, facts) =>
      withHeartbeat(async ({ signal }) => {
        const upload = await load(input);
        const type = recognizeFile(await readHead(objects, upload.object_key, upload.size_bytes, signal), upload.path);
        const file = { path: upload.path, sha256: facts.sha256, sizeBytes: upload.size_bytes, objectKey: upload.object_key, ...type };
        await database.inTenant(asTenantId(input.tenantId), (tx) => finishUpload(tx, upload.id, [file]));
      }),

    unpackUpload: (input, lane) =>
      withHeartbeat((beat) => lanes.run(input.tenantId, lane, beat.signal, async (signal) => unpack(deps, input, await load(input), { ...beat, signal }))),

    failDatasetUpload: (input, reason) => database.inTenant(asTenantId(input.tenantId), (tx) => failUpload(tx, input.uploadId, reason)),
  };
}

async function inspect(objects: ObjectStore, upload: UploadRow, signal: AbortSignal): Promise<UploadFacts> {
  const known = upload.is_archive ? upload.sha256 : upload.computed_sha256;
  const found =
    known === null ? await digestObject(objects, upload.object_key, signal) : { sha256: known, head: await readHead(objects, upload.object_key, upload.size_bytes, signal) };
  if (upload.sha256 !== null && upload.sha256 !== found.sha256)
    throw unprocessable(
      [{ loc: ['body', 'sha256'], msg: 'is not that of the bytes received', type: 'value_error' }],
      `The bytes received have the sha256 ${found.sha256}, the session promised ${upload.sha256}`,
    );
  const zip = isZip(found.head);
  if (upload.is_archive && !zip) throw notAnArchive();
  return { sha256: found.sha256, isZip: zip };
}

async function unpack(deps: UploadActivityDeps, input: UploadInput, upload: UploadRow, beat: Beat): Promise<undefined> {
  if (upload.state === 'done') return;
  const tenantId = asTenantId(input.tenantId);
  const noted: string[] = [];
  const note = async (keys: readonly string[]) => {
    await deps.database.inTenant(tenantId, (tx) =>
      noteLooseObjects(
        tx,
        keys.map((key) => ({ key })),
      ),
    );
    noted.push(...keys);
  };
  const newKey = () => newObjectKey(tenantId, 'dataset');
  const source = objectAccess(deps.objects, upload.object_key, upload.size_bytes, beat.signal);
  const limits = upload.is_archive ? ARCHIVE_LIMITS : SESSION_LIMITS;
  try {
    const ways = { objects: deps.objects, reader: deps.archives, note, newKey, progress: (done: number) => beat.progress(done), signal: beat.signal };
    const files = await unpackArchive(ways, source, limits);
    await deps.database.inTenant(tenantId, (tx) => finishUpload(tx, upload.id, files));
  } catch (error) {
    // A repeat writes objects of its own. Unless told, the sweeper waits a day for these. Where the store gave no answer, or none was waited for at
    // the end of a turn, it may still write.
    const isCut = (beat.signal.reason as Error | undefined)?.name === 'TimeoutError';
    const lingersS = isCut || (error instanceof AppError && error.code === 'service_unavailable') ? LAST_WRITES_S : 0;
    await deps.database.inTenant(tenantId, (tx) => giveUpObjects(tx, noted, lingersS)).catch(() => undefined);
    throw error;
  }
}
