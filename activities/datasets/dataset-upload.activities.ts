import { AppError, notFound, unprocessable } from '../../core/errors/app-error.js';
import type { ArchiveReader } from '../../core/ports/archive-reader.js';
import type { MultipartStore, ObjectStore } from '../../core/ports/object-store.js';
import { asTenantId } from '../../core/security/ids.js';
import { ARCHIVE_LIMITS, notAnArchive, SESSION_LIMITS } from '../../models/datasets/uploads/archive.rules.js';
import { failUpload, finishUpload } from '../../models/datasets/uploads/end-upload.commands.js';
import { newObjectKey } from '../../models/datasets/uploads/dataset-upload.commands.js';
import {
  findUploadById,
  listChunks,
  type UploadRow,
} from '../../models/datasets/uploads/dataset-upload.queries.js';
import { keepMultipart } from '../../models/datasets/uploads/dataset-upload.commands.js';
import type {
  AssemblyHold,
  AssemblyLane,
  UploadInput,
} from '../../models/datasets/catalog/dataset-work.types.js';
import type { LeftOut } from '../../models/datasets/catalog/dataset.types.js';
import type { NewFile } from '../../models/datasets/files/new-file.types.js';
import { isZip, recognizeFile } from '../../formats/files/file-type.js';
import {
  giveUpObjects,
  LAST_WRITES_S,
  recordOrphanedObjects,
} from '../../models/objects/orphaned-object.commands.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { type Beat, withHeartbeat } from '../support/activity-context.js';
import { unpackArchive } from './archive-unpacker.js';
import { AssemblyLanes } from './assembly-lanes.js';
import { joinChunks } from './chunk-joiner.js';
import { digestObject, objectReader, readHead } from '../../models/objects/object-reader.js';

export interface UploadActivityDeps {
  readonly database: Database;
  readonly objects: ObjectStore & MultipartStore;
  readonly archives: ArchiveReader;
  /** Called in the transaction that adds the files of a session, before they are added: it may go on into another dataset. */
  readonly beforeFiles: (tx: TenantTransaction, uploadId: string) => Promise<void>;
  /** Called for each session that has ended; never fails. */
  readonly onEnded: (input: UploadInput) => Promise<void>;
}

/** What an assembled upload turned out to be. */
export interface UploadFacts {
  readonly sha256: string;
  readonly isZip: boolean;
}

export interface DatasetUploadActivities {
  /** Makes one object of the chunks. Idempotent. */
  joinUpload(input: UploadInput, lane?: AssemblyLane): Promise<undefined | AssemblyHold>;
  /** Hashes the object, unless it came by a form, and compares it with what was promised. */
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
    const upload = await database.inTenant(asTenantId(input.tenantId), (tx) =>
      findUploadById(tx, input.uploadId),
    );
    if (!upload) throw notFound('Upload session');
    return upload;
  };

  return {
    joinUpload: (input, lane) =>
      withHeartbeat((beat) =>
        lanes.run(input.tenantId, lane, beat.signal, async (signal): Promise<undefined> => {
          const upload = await load(input);
          const tenantId = asTenantId(input.tenantId);
          if (upload.isArchive || upload.state !== 'assembling') return;
          const chunks = await database.inTenant(tenantId, (tx) => listChunks(tx, upload.id));
          await joinChunks(
            {
              objects,
              signal,
              keepMultipart: (id) => database.inTenant(tenantId, (tx) => keepMultipart(tx, upload.id, id)),
            },
            upload,
            chunks,
          );
        }),
      ),

    inspectUpload: (input, lane) =>
      withHeartbeat((beat) =>
        lanes.run(input.tenantId, lane, beat.signal, async (signal) =>
          inspect(objects, await load(input), signal),
        ),
      ),

    registerUpload: (input, facts) =>
      withHeartbeat(async ({ signal }) => {
        const upload = await load(input);
        const type = recognizeFile(
          await readHead(objects, upload.objectKey, upload.sizeBytes, signal),
          upload.path,
        );
        const file = {
          path: upload.path,
          sha256: facts.sha256,
          sizeBytes: upload.sizeBytes,
          objectKey: upload.objectKey,
          ...type,
        };
        await addFilesOf(deps, upload, input, [file]);
        await deps.onEnded(input);
      }),

    unpackUpload: (input, lane) =>
      withHeartbeat((beat) =>
        lanes.run(input.tenantId, lane, beat.signal, async (signal) =>
          unpack(deps, input, await load(input), { ...beat, signal }),
        ),
      ).then(async (held) => {
        if (held === undefined) await deps.onEnded(input);
        return held;
      }),

    failDatasetUpload: async (input, reason) => {
      await database.inTenant(asTenantId(input.tenantId), (tx) => failUpload(tx, input.uploadId, reason));
      await deps.onEnded(input);
    },
  };
}

async function inspect(objects: ObjectStore, upload: UploadRow, signal: AbortSignal): Promise<UploadFacts> {
  // An archive was hashed while its form came.
  const known = upload.isArchive ? upload.sha256 : null;
  const found =
    known === null
      ? await digestObject(objects, upload.objectKey, signal)
      : { sha256: known, head: await readHead(objects, upload.objectKey, upload.sizeBytes, signal) };
  if (upload.sha256 !== null && upload.sha256 !== found.sha256)
    throw unprocessable(
      [{ loc: ['body', 'sha256'], msg: 'is not that of the bytes received', type: 'value_error' }],
      `The bytes received have the sha256 ${found.sha256}, the session promised ${upload.sha256}`,
    );
  const zip = isZip(found.head);
  if (upload.isArchive && !zip) throw notAnArchive();
  return { sha256: found.sha256, isZip: zip };
}

const addFilesOf = (
  { database, beforeFiles }: UploadActivityDeps,
  { id }: UploadRow,
  { tenantId }: UploadInput,
  ...added: [files: readonly NewFile[], leftOut?: LeftOut]
): Promise<unknown> =>
  database.inTenant(asTenantId(tenantId), async (tx) => {
    await beforeFiles(tx, id);
    return finishUpload(tx, id, ...added);
  });

async function unpack(
  deps: UploadActivityDeps,
  input: UploadInput,
  upload: UploadRow,
  beat: Beat,
): Promise<undefined> {
  if (upload.state === 'done') return;
  const tenantId = asTenantId(input.tenantId);
  const recorded: string[] = [];
  const recordOrphans = async (keys: readonly string[]) => {
    await deps.database.inTenant(tenantId, (tx) =>
      recordOrphanedObjects(
        tx,
        keys.map((key) => ({ key })),
      ),
    );
    recorded.push(...keys);
  };
  const newKey = () => newObjectKey(tenantId, 'dataset');
  const source = objectReader(deps.objects, upload.objectKey, upload.sizeBytes, beat.signal);
  const limits = upload.isArchive ? ARCHIVE_LIMITS : SESSION_LIMITS;
  try {
    const ways = {
      objects: deps.objects,
      reader: deps.archives,
      recordOrphans,
      newKey,
      progress: (done: number) => beat.progress(done),
      signal: beat.signal,
    };
    const { files, leftOut } = await unpackArchive(ways, source, limits);
    await addFilesOf(deps, upload, input, files, leftOut);
  } catch (error) {
    // A repeat writes objects of its own. Without a call, the sweeper waits a day for these. Where the store gave no answer, or none was waited for at
    // the end of a turn, it may still write.
    const isCut = (beat.signal.reason as Error | undefined)?.name === 'TimeoutError';
    const lingersS =
      isCut || (error instanceof AppError && error.code === 'service_unavailable') ? LAST_WRITES_S : 0;
    await deps.database
      .inTenant(tenantId, (tx) => giveUpObjects(tx, recorded, lingersS))
      .catch(() => undefined);
    throw error;
  }
}
