import { defineEntity, p } from '@mikro-orm/core';

export const LoggedModelMetricSchema = defineEntity({
  name: 'LoggedModelMetric',
  tableName: 'logged_model_metric',
  properties: {
    /** Short id of the logged model. */
    model: p.bigint('number').primary(),
    key: p.text().primary(),
    /** Short id of the run that measured it. */
    run: p.bigint('number').primary(),
    step: p.bigint('number').primary(),
    /** Milliseconds since 1970. */
    ts: p.bigint('number').primary(),
    value: p.float().columnType('double precision'),
    /** Empty when no dataset was named. */
    datasetName: p.text().primary(),
    datasetDigest: p.text().primary(),
    tenantId: p.uuid(),
  },
});

/** What a run measured of a model. */
export class LoggedModelMetric extends LoggedModelMetricSchema.class {}
LoggedModelMetricSchema.setClass(LoggedModelMetric);
