import { defineEntity, p } from '@mikro-orm/core';
import type { RetentionClass } from '../tenants/retention-class.rules.js';

/** One prediction of a model in the field, in a partition by class of retention and day of receipt. */
export const InferenceSchema = defineEntity({
  name: 'Inference',
  tableName: 'inference',
  properties: {
    tenantId: p.uuid(),
    /** Number of the device in its table. */
    device: p.bigint('number').primary(),
    /** Feeds and statistics are ordered by it. */
    receivedAt: p.datetime().primary(),
    id: p.bigint('number').primary().autoincrement(),
    /** 0: without limit. */
    keptDays: p.smallint().$type<RetentionClass>().primary(),
    /** As the device sent it. */
    ts: p.datetime(),
    modelName: p.text(),
    version: p.integer(),
    /** What feedback refers to; made by the inference server. */
    predictionId: p.text().nullable(),
    /** Class of the result; null where the result has no single one, as of detections. */
    label: p.text().nullable(),
    confidence: p.double().nullable(),
    latencyMs: p.double().nullable(),
    result: p.json<Record<string, unknown>>(),
    uploadId: p.text().nullable(),
  },
});

export class Inference extends InferenceSchema.class {}
InferenceSchema.setClass(Inference);
