import { defineEntity, p } from '@mikro-orm/core';

export const MetricKeySchema = defineEntity({
  name: 'MetricKey',
  tableName: 'metric_key',
  properties: {
    id: p.integer().primary().autoincrement(),
    tenantId: p.uuid(),
    name: p.text(),
  },
});

/** A name of metrics, so that points carry a number. Never changed. */
export class MetricKey extends MetricKeySchema.class {}
MetricKeySchema.setClass(MetricKey);
