import { notFound } from '../../core/errors/app-error.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import { MAX_PLAIN_LIST } from '../../core/paging/page.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import type { ModelVersionRow } from '../../models/registry/model.types.js';
import { listVersionsOfRuns } from '../../models/registry/version.queries.js';
import { findArtifact, listArtifactLevel } from '../../models/tracker/artifact.queries.js';
import { artifactFolder, requireArtifactPath } from '../../models/tracker/artifact-path.rules.js';
import {
  DEFAULT_POINTS,
  POINTS_OF_RANGE,
  readSeries,
  type Series,
} from '../../models/tracker/metric.queries.js';
import { registerRun } from '../../models/tracker/register-run.commands.js';
import {
  type ExperimentPlace,
  findRun,
  findRunDetail,
  listExperiments,
  listLatestRuns,
} from '../../models/tracker/run.queries.js';
import type { ArtifactEntry, JudgedRun, RunDetail, RunSummary } from '../../models/tracker/run.types.js';
import { classesOfTraining } from '../../models/training/learned-classes.queries.js';
import type { Caller } from '../http/routing/request-context.js';
import type { SendableObject } from '../http/answers/send-object.js';
import { artifactType, isShownInPlace } from './artifact-types.js';

/** Runs of the tracker as people read them. */
export class RunsService {
  constructor(
    private readonly db: Database,
    private readonly objects: ObjectStore,
  ) {}

  async tree(
    caller: Caller,
    maxRuns: number,
    words: string,
  ): Promise<{ experiments: ExperimentPlace[]; runs: JudgedRun[]; total: number }> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const q = words.trim() || null;
      const { runs, total } = await listLatestRuns(tx, maxRuns, q);
      const ids = [...new Set(runs.map(({ experimentId }) => experimentId))];
      return { experiments: await listExperiments(tx, MAX_PLAIN_LIST, ids, q), runs, total };
    });
  }

  async read(
    caller: Caller,
    runId: string,
  ): Promise<{ run: RunDetail; versions: ReadonlyArray<{ name: string; version: number }> }> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const run = await findRunDetail(tx, runId);
      if (!run) throw notFound('Run');
      return { run, versions: await listVersionsOfRuns(tx, [runId]) };
    });
  }

  /**
   * @param maxPoints 0: the default
   * @throws AppError not_found for a run or a metric that it does not have
   */
  async series(
    caller: Caller,
    runId: string,
    name: string,
    maxPoints: number,
  ): Promise<Series & { maxPoints: number }> {
    const max = maxPoints === 0 ? DEFAULT_POINTS : Math.max(POINTS_OF_RANGE, maxPoints);
    const series = await this.inRun(caller, runId, (tx, run) => readSeries(tx, run.row, [name], max));
    const found = series.get(name);
    if (!found) throw notFound('Metric');
    return { ...found, maxPoints: max };
  }

  /** One level of a folder; there is nothing below a file. @throws AppError not_found for a path that does not exist */
  async artifacts(
    caller: Caller,
    runId: string,
    path: string,
  ): Promise<{ path: string; items: ArtifactEntry[]; total: number }> {
    const folder = artifactFolder(path);
    return this.inRun(caller, runId, async (tx, run) => {
      const level = await listArtifactLevel(tx, run.row, folder, MAX_PLAIN_LIST);
      if (level.total === 0 && folder !== '' && !(await findArtifact(tx, run.row, folder)))
        throw notFound('Artifact');
      return { path: folder, ...level };
    });
  }

  async artifact(caller: Caller, runId: string, path: string, download: boolean): Promise<SendableObject> {
    const wanted = requireArtifactPath(artifactFolder(path));
    const found = await this.inRun(caller, runId, (tx, run) => findArtifact(tx, run.row, wanted));
    if (!found) throw notFound('Artifact');
    const mediaType = artifactType(found.path);
    return {
      sizeBytes: found.sizeBytes,
      etag: found.sha256,
      mediaType,
      isInline: !download && isShownInPlace(mediaType),
      fileName: found.path.slice(found.path.lastIndexOf('/') + 1),
      open: (range, signal) => this.objects.get(found.objectKey, { signal, ...(range ? { range } : {}) }),
    };
  }

  register(caller: Caller, runId: string, modelName: string): Promise<ModelVersionRow> {
    return this.db.inTenant(caller.tenant.tenantId, (tx) =>
      registerRun(tx, caller.actor, { runId, modelName, classesOf: classesOfTraining }),
    );
  }

  private inRun<T>(
    caller: Caller,
    runId: string,
    work: (tx: TenantTransaction, run: RunSummary) => Promise<T>,
  ): Promise<T> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const run = await findRun(tx, runId);
      if (!run) throw notFound('Run');
      return work(tx, run);
    });
  }
}
