import { defineEntity, p } from '@mikro-orm/core';

export const MetricLatestSchema = defineEntity({
  name: 'MetricLatest',
  tableName: 'metric_latest',
  properties: {
    run: p.bigint('number').primary(),
    key: p.integer().primary(),
    step: p.bigint('number'),
    /** Milliseconds since 1970, as clients send it. */
    ts: p.bigint('number'),
    value: p.float().columnType('double precision'),
    experiment: p.bigint('number'),
    tenantId: p.uuid(),
  },
});

/** The value of a metric at its highest step, then the latest time, then the largest value. */
export class MetricLatest extends MetricLatestSchema.class {}
MetricLatestSchema.setClass(MetricLatest);
