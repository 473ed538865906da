import { badRequest, notFound } from '../../../core/errors/app-error.js';
import type { ObjectStore } from '../../../core/ports/object-store.js';
import type { Database } from '../../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../../models/orm/transaction.js';
import { findVersionById, listVersionFiles } from '../../../models/registry/version.queries.js';
import { findArtifact, listArtifactLevel } from '../../../models/tracker/artifact.queries.js';
import { artifactLevel } from '../../../models/tracker/artifact-level.rules.js';
import { artifactPathProblem } from '../../../models/tracker/artifact-path.rules.js';
import {
  findModelArtifact,
  listModelArtifacts,
} from '../../../models/tracker/logged-models/model-artifact.queries.js';
import { removeArtifacts } from '../../../models/tracker/register/remove-artifacts.commands.js';
import type { ArtifactEntry, RunArtifact } from '../../../models/tracker/run.types.js';
import { rowsOfRuns } from '../../../models/tracker/search/metric-history.queries.js';
import type { SendableObject } from '../../http/answers/send-object.js';
import type { ArtifactIntake, IncomingFile } from '../../tracker/artifact-intake.js';
import { artifactType, isShownInPlace } from '../../tracker/artifact-types.js';
import type { TrackerCaller } from '../protocol/tracker-callers.js';
import { artifactOwner, auditFiles, rowForFiles, rowOfModel } from './artifact-owner.js';
import type { ArtifactPlace } from './artifact-place.rules.js';

/** What one answer lists at most. */
const MAX_ENTRIES = 50_000;

/** Files of runs, of logged models and of registered versions, as MLflow's clients send and fetch them. */
export class ArtifactsService {
  constructor(
    private readonly db: Database,
    private readonly objects: ObjectStore,
    private readonly intake: ArtifactIntake,
  ) {}

  /** @throws AppError not_found, forbidden for the model of a training, bad_request for a path that cannot be kept */
  async put(caller: TrackerCaller, place: ArtifactPlace, file: Omit<IncomingFile, 'path'>): Promise<void> {
    const owner = artifactOwner(caller, place);
    await this.intake.store(owner, { ...file, path: place.path });
  }

  /** @throws AppError not_found */
  async open({ tenant }: TrackerCaller, place: ArtifactPlace): Promise<SendableObject> {
    requirePath(place.path);
    const found = await this.db.inTenant(tenant.tenantId, (tx) => findFile(tx, place));
    if (!found) throw notFound('Artifact');
    const mediaType = artifactType(found.path);
    return {
      sizeBytes: found.sizeBytes,
      etag: found.sha256,
      mediaType,
      isInline: isShownInPlace(mediaType),
      fileName: found.path.slice(found.path.lastIndexOf('/') + 1),
      open: (range, signal) => this.objects.get(found.objectKey, { signal, ...(range ? { range } : {}) }),
    };
  }

  /** One level, with paths below the root; nothing is below a file. @throws AppError not_found */
  list({ tenant }: TrackerCaller, place: ArtifactPlace): Promise<ArtifactEntry[]> {
    if (place.path !== '') requirePath(place.path);
    return this.db.inTenant(tenant.tenantId, (tx) => listLevel(tx, place));
  }

  /** @throws AppError not_found; forbidden for the model of a training */
  async remove({ tenant, actor }: TrackerCaller, { kind, id, path }: ArtifactPlace): Promise<void> {
    if (path !== '') requirePath(path);
    if (kind === 'version') throw badRequest('The files of a registered version do not change.');
    await this.db.inTenant(tenant.tenantId, async (tx) => {
      const count = await removeArtifacts(tx, kind, await rowForFiles(tx, { kind, id, path }), path);
      if (count > 0) await auditFiles(tx, actor, 'artifacts_delete', { kind, id, path, count });
    });
  }
}

function requirePath(path: string): void {
  const problem = artifactPathProblem(path);
  if (problem !== null) throw badRequest(`Invalid path: it ${problem}.`);
}

async function listLevel(tx: TenantTransaction, { kind, id, path }: ArtifactPlace): Promise<ArtifactEntry[]> {
  if (kind === 'run') return (await listArtifactLevel(tx, await rowOfRun(tx, id), path, MAX_ENTRIES)).items;
  if (kind === 'logged-model')
    return artifactLevel(await listModelArtifacts(tx, await rowOfModel(tx, id)), path);
  return artifactLevel(await versionFiles(tx, id), path);
}

async function findFile(
  tx: TenantTransaction,
  { kind, id, path }: ArtifactPlace,
): Promise<RunArtifact | null> {
  if (kind === 'run') return findArtifact(tx, await rowOfRun(tx, id), path);
  if (kind === 'logged-model') return findModelArtifact(tx, await rowOfModel(tx, id), path);
  return (await versionFiles(tx, id)).find((file) => file.path === path) ?? null;
}

async function versionFiles(tx: TenantTransaction, id: string): Promise<RunArtifact[]> {
  if (!(await findVersionById(tx, id))) throw notFound('Model version');
  return listVersionFiles(tx, id);
}

/** Deleted ones can still be read. */
async function rowOfRun(tx: TenantTransaction, runId: string): Promise<number> {
  const row = (await rowsOfRuns(tx, [runId])).get(runId);
  if (row === undefined) throw notFound('Run');
  return row;
}
