import { createHash } from 'node:crypto';
import type { DeviceCaller } from '../../models/edge/devices/device-caller.types.js';
import {
  type InferenceRow,
  listInference,
  listTelemetry,
  type TelemetryRow,
} from '../../models/edge/feeds/record-feed.queries.js';
import type { Feed, FeedQuery } from '../../models/edge/feeds/record-feed.rules.js';
import type { NewInference } from '../../models/edge/inference-write.types.js';
import type { NewTelemetry, WrittenBatch } from '../../models/edge/telemetry-write.types.js';
import type { InferenceWriter, TelemetryWriter } from '../../models/edge/device-writers.platform.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { Caller } from '../http/routing/request-context.js';
import type { RecordEvents } from './record-events.js';

/** Records that devices send in batches: stored when they are answered, once however often they are sent. */
export class EdgeIngestService {
  constructor(
    private readonly db: Database,
    private readonly telemetryWriter: TelemetryWriter,
    private readonly inferenceWriter: InferenceWriter,
    private readonly events: RecordEvents,
  ) {}

  /** @param key of the batch */
  async addTelemetry(
    device: DeviceCaller,
    key: string,
    records: readonly NewTelemetry[],
  ): Promise<WrittenBatch> {
    const { tenantId, number, keptDays } = device;
    const written = await this.telemetryWriter.write({
      ...{ tenantId, device: number, key, keptDays: keptDays.telemetry, records },
    });
    if (!written.isRepeat && records.length > 0) this.events.telemetry(device, records);
    return written;
  }

  /** @param key of the batch: another one than the same of telemetry */
  async addInference(
    device: DeviceCaller,
    key: string,
    records: readonly NewInference[],
  ): Promise<WrittenBatch> {
    const { tenantId, number, keptDays } = device;
    const written = await this.inferenceWriter.write({
      ...{ tenantId, device: number, key: inferenceKey(key), keptDays: keptDays.inference, records },
    });
    if (!written.isRepeat && records.length > 0) this.events.inference(device, records.length);
    return written;
  }

  telemetry(caller: Caller, key: string, kind: string | null, query: FeedQuery): Promise<Feed<TelemetryRow>> {
    return this.db.inTenant(caller.tenant.tenantId, (tx) => listTelemetry(tx, key, kind, query));
  }

  inference(caller: Caller, key: string, query: FeedQuery): Promise<Feed<InferenceRow>> {
    return this.db.inTenant(caller.tenant.tenantId, (tx) => listInference(tx, key, query));
  }
}

/** Both kinds of batches share one table of keys, whose texts are short. */
const inferenceKey = (key: string): string => `i:${createHash('sha256').update(key).digest('base64url')}`;
