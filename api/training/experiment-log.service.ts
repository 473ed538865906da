import { Readable } from 'node:stream';
import { notFound } from '../../core/errors/app-error.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import { asTenantId } from '../../core/security/ids.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { findArtifact } from '../../models/tracker/artifact.queries.js';
import { LOG_ARTIFACT } from '../../models/tracker/log-artifact.js';
import { findRun } from '../../models/tracker/run.queries.js';
import { findExperiment } from '../../models/training/experiment.queries.js';
import type { AttemptRef } from '../../models/training/experiment.types.js';
import { retentionCutoff } from '../../models/tenants/retention.queries.js';
import { readLogChunks, readLogRange } from '../../models/training/log.queries.js';
import type { Caller } from '../http/routing/request-context.js';

const CHUNKS_AT_ONCE = 50;

/** The log of an experiment's current attempt: rows while it runs, an artifact of its run afterwards. */
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
    return Readable.from(this.rows({ tenantId, experimentId: id, attempt: found.attempt }, found.since), {
      objectMode: false,
    });
  }

  /** For the event streams: the bytes `[from, to)`. */
  readRange(tenantId: string, id: string, from: number, to: number): Promise<string> {
    return this.db.inTenant(asTenantId(tenantId), (tx) => readLogRange(tx, id, from, to));
  }

  private async *rows(ref: AttemptRef, since: Date | null): AsyncGenerator<string> {
    for (let from = 0; ; ) {
      const chunks = await this.db.inTenant(asTenantId(ref.tenantId), (tx) =>
        readLogChunks(tx, ref, from, CHUNKS_AT_ONCE, since),
      );
      const last = chunks.at(-1);
      if (!last) return;
      from = last.fromByte + Buffer.byteLength(last.text);
      yield chunks.map((chunk) => chunk.text).join('');
    }
  }
}
