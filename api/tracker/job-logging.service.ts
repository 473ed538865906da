import type { EventBus } from '../../core/ports/event-bus.js';
import { asTenantId } from '../../core/security/ids.js';
import type { JobClaims } from '../../core/security/job-token.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { artifactPrefix, putArtifact } from '../../models/tracker/artifact.commands.js';
import type { MetricKeys } from '../../models/tracker/metric-keys.js';
import { writeBatch } from '../../models/tracker/run-batch.commands.js';
import { parseBatch, progressOf } from '../../models/tracker/run-batch.rules.js';
import type { RunBatch } from '../../models/tracker/run.types.js';
import { metricEvents, progressEvent } from '../../models/training/experiment-events.js';
import { reportTrainingProgress } from '../../models/training/report-progress.commands.js';
import type { ArtifactIntake, IncomingFile } from './artifact-intake.js';
import { jobClaims, openRun, requireOwnRun } from './job-access.js';

/** What a job may do with its token: log to the run of its own attempt, while that attempt runs. */
export class JobLoggingService {
  constructor(
    private readonly db: Database,
    private readonly intake: ArtifactIntake,
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

  /** Stores one file below the run's root; the same path again replaces it. */
  async putArtifact(claims: JobClaims, runId: string, file: IncomingFile): Promise<void> {
    requireOwnRun(claims, runId);
    const tenantId = asTenantId(claims.tenantId);
    await this.intake.store(
      {
        tenantId,
        kind: 'run',
        prefix: artifactPrefix(tenantId, runId),
        row: async (tx) => (await openRun(tx, claims)).row,
        put: putArtifact,
      },
      file,
    );
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
