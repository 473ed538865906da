import { defineEntity, p } from '@mikro-orm/core';

export const MetricPointSchema = defineEntity({
  name: 'MetricPoint',
  tableName: 'metric_point',
  properties: {
    /** No foreign key: one for each of a thousand points would cost more than the points. */
    run: p.bigint('number').primary(),
    key: p.integer().primary(),
    step: p.bigint('number').primary(),
    /** Milliseconds since 1970, as clients send it. */
    ts: p.bigint('number').primary(),
    /** May be NaN or infinite. */
    value: p.float().columnType('double precision').primary(),
    tenantId: p.uuid(),
  },
});

/** One value of a metric. All its columns are the key: a repeated batch changes nothing. */
export class MetricPoint extends MetricPointSchema.class {}
MetricPointSchema.setClass(MetricPoint);
