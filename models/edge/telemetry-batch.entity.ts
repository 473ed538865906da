import { defineEntity, p } from '@mikro-orm/core';

/** What a device sent at once: a repeat of its key within 48 hours gets the answer of the first. */
export const TelemetryBatchSchema = defineEntity({
  name: 'TelemetryBatch',
  tableName: 'telemetry_batch',
  properties: {
    tenantId: p.uuid(),
    device: p.bigint('number').primary(),
    key: p.text().primary(),
    receivedAt: p.datetime(),
    records: p.integer(),
  },
});

export class TelemetryBatch extends TelemetryBatchSchema.class {}
TelemetryBatchSchema.setClass(TelemetryBatch);
