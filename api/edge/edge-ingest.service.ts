import { createHash } from 'node:crypto';
import { fieldError, unprocessable } from '../../core/errors/app-error.js';
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

/** What a batch is known by. */
export interface BatchName {
  readonly key: string;
  /** Sha256 of the body, hex. */
  readonly bodyHash: string;
}

/** Records that devices send in batches: stored when they are answered, once however often they are sent. */
export class EdgeIngestService {
  constructor(
    private readonly db: Database,
    private readonly telemetryWriter: TelemetryWriter,
    private readonly inferenceWriter: InferenceWriter,
    private readonly events: RecordEvents,
  ) {}

  /** @throws AppError unprocessable_entity where its key was used for another body */
  async addTelemetry(
    device: DeviceCaller,
    { key, bodyHash }: BatchName,
    records: readonly NewTelemetry[],
  ): Promise<WrittenBatch> {
    const { tenantId, number, keptDays } = device;
    const written = await this.telemetryWriter.write({
      ...{ tenantId, device: number, key, bodyHash, keptDays: keptDays.telemetry, records },
    });
    assertSameBody(written);
    if (!written.isRepeat && records.length > 0) this.events.telemetry(device, records);
    return written;
  }

  /** Its key is another one than the same of telemetry. @throws AppError as `addTelemetry` */
  async addInference(
    device: DeviceCaller,
    { key, bodyHash }: BatchName,
    records: readonly NewInference[],
  ): Promise<WrittenBatch> {
    const { tenantId, number, keptDays } = device;
    const written = await this.inferenceWriter.write({
      ...{ tenantId, device: number, key: inferenceKey(key), bodyHash },
      ...{ keptDays: keptDays.inference, records },
    });
    assertSameBody(written);
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

function assertSameBody({ isOther }: WrittenBatch): void {
  if (isOther)
    throw unprocessable([
      fieldError(['header', 'Idempotency-Key'], 'was used for other records within 48 hours; use a new one'),
    ]);
}

/** Both kinds of batches share one table of keys, whose texts are short. */
const inferenceKey = (key: string): string => `i:${createHash('sha256').update(key).digest('base64url')}`;
