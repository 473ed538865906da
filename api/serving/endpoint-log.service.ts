import { buffer } from 'node:stream/consumers';
import { notFound } from '../../core/errors/app-error.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { findEndpoint } from '../../models/serving/endpoint.queries.js';
import { retentionCutoff } from '../../models/tenants/retention.queries.js';
import { findLogBounds, type LogBounds } from '../../models/workloads/logs/log.queries.js';
import { openLog } from '../../models/workloads/logs/log-reader.js';
import type { LogRef } from '../../models/workloads/logs/log-ref.js';
import { readWorkloadLog } from '../../models/workloads/workload.queries.js';
import type { SendableObject } from '../http/answers/send-object.js';
import type { Caller } from '../http/routing/request-context.js';

interface FoundLog {
  readonly ref: LogRef;
  readonly bounds: LogBounds;
  /** The last lines that the release before kept of an instance of which nothing else is stored. */
  readonly earlier: string;
}

/** What the instances of an endpoint print, as far as the tenant keeps logs. */
export class EndpointLogService {
  constructor(
    private readonly db: Database,
    private readonly objects: ObjectStore,
  ) {}

  /** The last `maxBytes` of what an instance printed. @throws AppError not_found */
  async tail(caller: Caller, name: string, instance: number, maxBytes: number): Promise<string> {
    const { ref, bounds, earlier } = await this.find(caller, name, instance);
    const { from, to } = bounds;
    const start = Math.max(from, to - maxBytes);
    const bytes = to > from ? await buffer(this.read(ref, { from: start, to })) : Buffer.from(earlier);
    return sinceCharacter(bytes.subarray(Math.max(0, bytes.length - maxBytes))).toString('utf8');
  }

  /** All that an instance printed, as far as it is stored now. @throws AppError not_found */
  async open(caller: Caller, name: string, instance: number): Promise<SendableObject> {
    const { ref, bounds } = await this.find(caller, name, instance);
    const { from, to } = bounds;
    return {
      ...{ mediaType: 'text/plain; charset=utf-8', isInline: true, fileName: `${name}-${instance}.log` },
      ...{ sizeBytes: to - from, etag: `${ref.ownerId}-${instance}-${from}-${to}` },
      open: async (range, signal) => openLog(this.source, ref, bounds, range, signal),
    };
  }

  private get source() {
    return { database: this.db, objects: this.objects };
  }

  private read(ref: LogRef, bounds: LogBounds) {
    return openLog(this.source, ref, bounds, null);
  }

  private find(caller: Caller, name: string, instance: number): Promise<FoundLog> {
    const { tenantId } = caller.tenant;
    return this.db.inTenant(tenantId, async (tx) => {
      const endpoint = await findEndpoint(tx, name);
      if (!endpoint) throw notFound('Serving endpoint');
      const ref: LogRef = { tenantId, owner: 'endpoint', ownerId: endpoint.id, part: instance };
      const bounds = await findLogBounds(tx, ref, await retentionCutoff(tx, 'logs'));
      const earlier = bounds.to === 0 ? await readWorkloadLog(tx, endpoint.workloadId, instance) : '';
      return { ref, bounds, earlier };
    });
  }
}

/** Without the bytes of a character whose first ones were cut off. */
function sinceCharacter(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return bytes.subarray(Math.max(0, start));
}
