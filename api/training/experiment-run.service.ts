import type { Readable } from 'node:stream';
import { AppError, notFound } from '../../core/errors/app-error.js';
import { MAX_PLAIN_LIST } from '../../core/paging/page.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import {
  findArtifact,
  listArtifactLevel,
  listArtifactsBelow,
} from '../../models/tracker/artifact.queries.js';
import { artifactFolder } from '../../models/tracker/artifact-path.rules.js';
import { type AttemptRun, findRun, listAttempts } from '../../models/tracker/run.queries.js';
import type { ArtifactEntry, RunArtifact, RunSummary } from '../../models/tracker/run.types.js';
import { listCheckpoints, type StoredCheckpoint } from '../../models/training/checkpoint.queries.js';
import { canFollow } from '../../models/training/experiment-state.rules.js';
import { type ExperimentRow, findExperiment } from '../../models/training/experiment.queries.js';
import type { Download } from '../http/answers/send-download.js';
import type { SendableObject } from '../http/answers/send-object.js';
import { zipStream } from '../http/answers/zip-stream.js';
import type { Caller } from '../http/routing/request-context.js';

const MAX_FILES = 50_000;
/** Attempts shown; each keeps one checkpoint. */
const MAX_ATTEMPTS = 100;

export interface ExperimentRun {
  readonly experiment: ExperimentRow;
  /** Null when it was deleted in the tracker. */
  readonly run: RunSummary | null;
}

/** The same, with the runs of all attempts, the newest first. */
export interface ExperimentLink extends ExperimentRun {
  readonly attempts: readonly AttemptRun[];
}

export type ArtifactDownload = { readonly file: SendableObject } | { readonly archive: Download };

/** What the run of an experiment's current attempt has stored. */
export class ExperimentRunService {
  constructor(
    private readonly db: Database,
    private readonly objects: ObjectStore,
  ) {}

  find(caller: Caller, id: string): Promise<ExperimentLink> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => ({
      ...(await readRun(tx, id)),
      attempts: await listAttempts(tx, id, MAX_ATTEMPTS),
    }));
  }

  /** @returns `next`: the one that a retry would go on from, when the experiment can be tried again */
  async checkpoints(
    caller: Caller,
    id: string,
  ): Promise<{ items: readonly StoredCheckpoint[]; next: StoredCheckpoint | null }> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const { experiment } = await readRun(tx, id);
      const items = await listCheckpoints(tx, id, MAX_ATTEMPTS);
      return { items, next: canFollow(experiment.status, 'QUEUED') ? (items[0] ?? null) : null };
    });
  }

  /** One level of a folder; there is nothing below a file. @throws AppError not_found for a path that does not exist */
  async artifacts(
    caller: Caller,
    id: string,
    path: string,
  ): Promise<{ runId: string; path: string; items: ArtifactEntry[]; total: number }> {
    const folder = artifactFolder(path);
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const run = await requireRun(tx, id);
      const level = await listArtifactLevel(tx, run.row, folder, MAX_PLAIN_LIST);
      if (level.total === 0 && folder !== '' && !(await findArtifact(tx, run.row, folder)))
        throw notFound('Artifact');
      return { runId: run.runId, path: folder, ...level };
    });
  }

  /** A file as it is, a folder ('' for all) as a ZIP. @throws AppError not_found for a path that does not exist */
  async download(caller: Caller, id: string, path: string): Promise<ArtifactDownload> {
    const folder = artifactFolder(path);
    const found = await this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const run = await requireRun(tx, id);
      const single = folder === '' ? null : await findArtifact(tx, run.row, folder);
      return single ?? listArtifactsBelow(tx, run.row, folder, MAX_FILES + 1);
    });
    if (!Array.isArray(found)) return { file: this.file(found as RunArtifact) };
    if (found.length === 0 && folder !== '') throw notFound('Artifact');
    if (found.length > MAX_FILES)
      throw new AppError('payload_too_large', `More than ${MAX_FILES} files; ask for one folder at a time.`, {
        allowed: MAX_FILES,
      });
    return { archive: this.archive(`${lastName(folder) || id}.zip`, found) };
  }

  private file({ path, sizeBytes, sha256, objectKey }: RunArtifact): SendableObject {
    return {
      sizeBytes,
      etag: sha256,
      mediaType: 'application/octet-stream',
      isInline: false,
      fileName: lastName(path),
      open: (range, signal) => this.objects.get(objectKey, { signal, ...(range ? { range } : {}) }),
    };
  }

  private archive(fileName: string, files: readonly RunArtifact[]): Download {
    const members = files.map(({ path, sizeBytes, objectKey }) => ({
      path,
      sizeBytes,
      open: (signal: AbortSignal): Promise<Readable> => this.objects.get(objectKey, { signal }),
    }));
    return {
      fileName,
      mediaType: 'application/zip',
      sizeBytes: null,
      open: async (signal) => zipStream(members, signal),
    };
  }
}

const lastName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

async function readRun(tx: TenantTransaction, id: string): Promise<ExperimentRun> {
  const experiment = await findExperiment(tx, id);
  if (!experiment) throw notFound('Experiment');
  return { experiment, run: await findRun(tx, experiment.trackerRunId) };
}

async function requireRun(tx: TenantTransaction, id: string): Promise<RunSummary> {
  const { run } = await readRun(tx, id);
  if (!run) throw notFound('Run of this experiment');
  return run;
}
