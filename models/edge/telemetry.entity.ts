import { defineEntity, p } from '@mikro-orm/core';
import type { RetentionClass } from '../tenants/retention-class.rules.js';

/** One record of a device, in a partition by class of retention and day of receipt. */
export const TelemetrySchema = defineEntity({
  name: 'Telemetry',
  tableName: 'telemetry',
  properties: {
    tenantId: p.uuid(),
    /** Number of the device in its table. */
    device: p.bigint('number').primary(),
    /** Feeds are ordered by it. */
    receivedAt: p.datetime().primary(),
    id: p.bigint('number').primary().autoincrement(),
    /** 0: without limit. */
    keptDays: p.smallint().$type<RetentionClass>().primary(),
    kind: p.text(),
    /** As the device sent it. */
    ts: p.datetime(),
    data: p.json<Record<string, unknown>>(),
  },
});

export class Telemetry extends TelemetrySchema.class {}
TelemetrySchema.setClass(Telemetry);
