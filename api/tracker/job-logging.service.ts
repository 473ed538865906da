import { createHash, randomUUID } from 'node:crypto';
import { Transform, type Readable } from 'node:stream';
import { AppError, badRequest } from '../../core/errors/app-error.js';
import type { EventBus } from '../../core/ports/event-bus.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import { asTenantId, type TenantId } from '../../core/security/ids.js';
import type { JobClaims } from '../../core/security/job-token.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import {
  adoptObjects,
  freeObjects,
  giveUpObjects,
  LAST_WRITES_S,
  recordOrphanedObjects,
} from '../../models/objects/orphaned-object.commands.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { listHeldObjectKeys } from '../../models/registry/version.queries.js';
import { artifactPrefix, putArtifact } from '../../models/tracker/artifact.commands.js';
import { artifactPathProblem } from '../../models/tracker/artifact-path.rules.js';
import type { MetricKeys } from '../../models/tracker/metric-keys.js';
import { writeBatch } from '../../models/tracker/metric.commands.js';
import { parseBatch, progressOf } from '../../models/tracker/run-batch.rules.js';
import type { RunArtifact, RunBatch } from '../../models/tracker/run.types.js';
import { metricEvents, progressEvent } from '../../models/training/experiment-events.js';
import { reportTrainingProgress } from '../../models/training/report-progress.commands.js';
import { jobClaims, openRun, requireOwnRun } from './job-access.js';

/** The store takes no larger object in one piece. */
const MAX_ARTIFACT_BYTES = 5 * 1024 ** 3;

/** What a job may do with its token: log to the run of its own attempt, while that attempt runs. */
export class JobLoggingService {
  constructor(
    private readonly db: Database,
    private readonly objects: ObjectStore,
    private readonly events: EventBus,
    private readonly keys: KeyRing,
    private readonly metricKeys: MetricKeys,
  ) {}

  claims(authorization: string | undefined): JobClaims {
    return jobClaims(this.keys, authorization);
  }

  async logBatch(claims: JobClaims, body: unknown): Promise<void> {
    const { runId, batch } = parseBatch(body);
    requireOwnRun(claims, runId);
    await this.db.inTenant(asTenantId(claims.tenantId), async (tx) => {
      const run = await openRun(tx, claims);
      await writeBatch(tx, this.metricKeys, runId, batch);
      if (run.trainingId !== null) await this.report(tx, claims, run.trainingId, batch);
    });
  }

  /**
   * Stores one file below the run's root; the same path again replaces it.
   * @param path below `<run id>/artifacts/`
   * @param sizeBytes from Content-Length
   */
  async putArtifact(
    claims: JobClaims,
    runId: string,
    path: string,
    body: Readable,
    sizeBytes: number | null,
    signal: AbortSignal,
  ): Promise<void> {
    requireOwnRun(claims, runId);
    const problem = artifactPathProblem(path);
    if (problem !== null) throw badRequest(`The artifact path ${problem}.`);
    if (sizeBytes === null) throw badRequest('Send the size of the file as Content-Length.');
    if (sizeBytes > MAX_ARTIFACT_BYTES)
      throw new AppError('payload_too_large', 'A single artifact may have 5 GiB at most.');
    const tenantId = asTenantId(claims.tenantId);
    const objectKey = `${artifactPrefix(tenantId, runId)}/${randomUUID()}`;
    await this.db.inTenant(tenantId, async (tx) => {
      await openRun(tx, claims);
      await recordOrphanedObjects(tx, [{ key: objectKey }]);
    });
    // A write that failed here may still come to its end in the store; one that was answered is over.
    let lingersS = LAST_WRITES_S;
    try {
      const digest = createHash('sha256');
      const hashed = body.pipe(digesting(digest));
      body.once('error', (error) => hashed.destroy(error));
      await this.objects.put(objectKey, hashed, sizeBytes, { signal });
      lingersS = 0;
      await this.adopt(tenantId, claims, { path, sizeBytes, sha256: digest.digest('hex'), objectKey });
    } catch (error) {
      // Left alone it would be removed in a day.
      await this.db
        .inTenant(tenantId, (tx) => giveUpObjects(tx, [objectKey], lingersS))
        .catch(() => undefined);
      throw error;
    }
  }

  private async adopt(tenantId: TenantId, claims: JobClaims, artifact: RunArtifact): Promise<void> {
    await this.db.inTenant(tenantId, async (tx) => {
      const run = await openRun(tx, claims);
      const replaced = await putArtifact(tx, run.row, artifact);
      await adoptObjects(tx, [artifact.objectKey]);
      // A model version that was registered meanwhile keeps the bytes it was made of.
      if (replaced !== null && !(await listHeldObjectKeys(tx, tenantId, [replaced])).has(replaced))
        await freeObjects(tx, [{ key: replaced }]);
    });
  }

  private async report(
    tx: TenantTransaction,
    claims: JobClaims,
    experimentId: string,
    batch: RunBatch,
  ): Promise<void> {
    const ref = { tenantId: claims.tenantId, experimentId, attempt: claims.attempt };
    const progress = progressOf(batch);
    const overall = progress === null ? null : await reportTrainingProgress(tx, ref, progress);
    const shown = batch.metrics.filter((metric) => !metric.key.startsWith('system/'));
    tx.afterCommit(() =>
      this.events.publish([
        ...metricEvents(ref, shown),
        ...(overall === null ? [] : [progressEvent(ref, overall)]),
      ]),
    );
  }
}

const digesting = (digest: ReturnType<typeof createHash>): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      digest.update(chunk);
      done(null, chunk);
    },
  });
