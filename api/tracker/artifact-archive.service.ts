import { PassThrough, type Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { AppError, notFound } from '../../core/errors/app-error.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { findArtifact, listArtifactsBelow } from '../../models/tracker/artifact.queries.js';
import { artifactFolder } from '../../models/tracker/artifact-path.rules.js';
import { findRun } from '../../models/tracker/run.queries.js';
import type { RunArtifact } from '../../models/tracker/run.types.js';
import type { Caller } from '../http/routing/request-context.js';

const MAX_FILES = 50_000;

export interface Archive {
  readonly fileName: string;
  /** Ends with an error when the store breaks off: a cut archive must not look whole. */
  readonly body: Readable;
}

/** Artifacts of a run as a ZIP that is made while it is sent: one object of the store is open at a time. */
export class ArtifactArchiveService {
  constructor(
    private readonly db: Database,
    private readonly objects: ObjectStore,
  ) {}

  /**
   * @param path a folder, a single file, or '' for all
   * @throws AppError not_found when there is nothing below it
   */
  async open(caller: Caller, runId: string, path: string, signal: AbortSignal): Promise<Archive> {
    const folder = artifactFolder(path);
    const files = await this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const run = await findRun(tx, runId);
      if (!run) throw notFound('Run');
      const found = await listArtifactsBelow(tx, run.row, folder, MAX_FILES + 1);
      const single = found.length === 0 && folder !== '' ? await findArtifact(tx, run.row, folder) : null;
      return single ? [single] : found;
    });
    if (files.length === 0 && folder !== '') throw notFound('Artifact');
    if (files.length > MAX_FILES)
      throw new AppError('payload_too_large', `More than ${MAX_FILES} files; ask for one folder at a time.`, {
        allowed: MAX_FILES,
      });
    const name = folder === '' ? runId : folder.slice(folder.lastIndexOf('/') + 1);
    return { fileName: `${name}.zip`, body: this.zip(files, signal) };
  }

  private zip(files: readonly RunArtifact[], signal: AbortSignal): Readable {
    const archive = new ZipFile();
    const output = new PassThrough();
    const fail = (error: unknown) =>
      output.destroy(error instanceof Error ? error : new Error(String(error)));
    archive.on('error', fail);
    for (const file of files) {
      // Entries are opened one after the other, each when its turn comes.
      archive.addReadStreamLazy(
        file.path,
        {
          size: file.sizeBytes,
          mode: 0o100644,
          compress: !/\.(png|jpe?g|webp|zip|gz|skops)$/i.test(file.path),
        },
        (ready) => {
          this.objects.get(file.objectKey, { signal }).then(
            (body) => {
              body.on('error', fail);
              ready(null, body);
            },
            (error: unknown) => {
              fail(error);
              ready(error, PassThrough.from([]) as unknown as Readable);
            },
          );
        },
      );
    }
    archive.end();
    archive.outputStream.pipe(output);
    return output;
  }
}
