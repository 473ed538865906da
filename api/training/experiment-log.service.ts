import { notFound } from '../../core/errors/app-error.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import { asTenantId } from '../../core/security/ids.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { findArtifact } from '../../models/tracker/artifact.queries.js';
import { LOG_ARTIFACT } from '../../models/tracker/log-artifact.js';
import type { RunArtifact } from '../../models/tracker/run.types.js';
import { findRun } from '../../models/tracker/run.queries.js';
import { findExperiment } from '../../models/training/experiment.queries.js';
import type { AttemptRef } from '../../models/training/experiment.types.js';
import { retentionCutoff } from '../../models/tenants/retention.queries.js';
import { findLogBounds, type LogBounds } from '../../models/workloads/logs/log.queries.js';
import { openLog } from '../../models/workloads/logs/log-reader.js';
import { attemptLog, readLogRange } from '../../models/training/logs/attempt-log.queries.js';
import type { SendableObject } from '../http/answers/send-object.js';
import type { Caller } from '../http/routing/request-context.js';

type Bytes = Pick<SendableObject, 'sizeBytes' | 'etag' | 'open'>;

const LOG_FILE = { mediaType: 'text/plain; charset=utf-8', isInline: true, fileName: 'train.log' } as const;

/** The log of an experiment's current attempt: segments and rows while it runs, an artifact of its run afterwards. */
export class ExperimentLogService {
  constructor(
    private readonly db: Database,
    private readonly objects: ObjectStore,
  ) {}

  /** As far as it is written now. @throws AppError not_found */
  async open(caller: Caller, id: string): Promise<SendableObject> {
    const { tenantId } = caller.tenant;
    return this.db.inTenant(tenantId, async (tx) => {
      const experiment = await findExperiment(tx, id);
      if (!experiment) throw notFound('Experiment');
      const run = await findRun(tx, experiment.trackerRunId);
      const stored = run ? await findArtifact(tx, run.row, LOG_ARTIFACT) : null;
      if (stored) return { ...LOG_FILE, ...this.storedLog(stored) };
      const ref = { tenantId, experimentId: id, attempt: experiment.attempt };
      const since = await retentionCutoff(tx, 'logs');
      return { ...LOG_FILE, ...this.growingLog(ref, await findLogBounds(tx, attemptLog(ref), since)) };
    });
  }

  private storedLog({ sizeBytes, sha256, objectKey }: RunArtifact): Bytes {
    return {
      ...{ sizeBytes, etag: sha256 },
      open: (range, signal) => this.objects.get(objectKey, { signal, ...(range ? { range } : {}) }),
    };
  }

  /** What is written from now on belongs to other bytes, with a name of their own. */
  private growingLog(ref: AttemptRef, bounds: LogBounds): Bytes {
    const source = { database: this.db, objects: this.objects };
    return {
      ...{ sizeBytes: bounds.to - bounds.from, etag: `${ref.attempt}-${bounds.from}-${bounds.to}` },
      open: async (range, signal) => openLog(source, attemptLog(ref), bounds, range, signal),
    };
  }

  /** For the event streams: the bytes `[from, to)`. */
  readRange(tenantId: string, id: string, from: number, to: number): Promise<string> {
    return this.db.inTenant(asTenantId(tenantId), (tx) => readLogRange(tx, id, from, to));
  }
}
