import { Readable } from 'node:stream';
import { notFound } from '../../core/errors/app-error.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import { asTenantId } from '../../core/security/ids.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { findArtifact } from '../../models/tracker/artifact.queries.js';
import { LOG_ARTIFACT } from '../../models/tracker/log-artifact.js';
import { findRun } from '../../models/tracker/run.queries.js';
import { findExperiment } from '../../models/training/experiment.queries.js';
import { retentionCutoff } from '../../models/tenants/retention.queries.js';
import { readLogRange } from '../../models/training/logs/log.queries.js';
import { readLog } from '../../models/training/logs/log-reader.js';
import type { Caller } from '../http/routing/request-context.js';

/** The log of an experiment's current attempt: segments and rows while it runs, an artifact of its run afterwards. */
export class ExperimentLogService {
  constructor(
    private readonly db: Database,
    private readonly objects: ObjectStore,
  ) {}

  async open(caller: Caller, id: string, signal: AbortSignal): Promise<Readable> {
    const { tenantId } = caller.tenant;
    const found = await this.db.inTenant(tenantId, async (tx) => {
      const experiment = await findExperiment(tx, id);
      if (!experiment) throw notFound('Experiment');
      const run = await findRun(tx, experiment.trackerRunId);
      return {
        attempt: experiment.attempt,
        since: await retentionCutoff(tx, 'logs'),
        stored: run ? await findArtifact(tx, run.row, LOG_ARTIFACT) : null,
      };
    });
    if (found.stored) return this.objects.get(found.stored.objectKey, { signal });
    const ref = { tenantId, experimentId: id, attempt: found.attempt };
    const source = { database: this.db, objects: this.objects };
    return Readable.from(readLog(source, ref, { since: found.since, signal }), { objectMode: false });
  }

  /** For the event streams: the bytes `[from, to)`. */
  readRange(tenantId: string, id: string, from: number, to: number): Promise<string> {
    return this.db.inTenant(asTenantId(tenantId), (tx) => readLogRange(tx, id, from, to));
  }
}
