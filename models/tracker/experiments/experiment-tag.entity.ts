import { defineEntity, p } from '@mikro-orm/core';

export const ExperimentTagSchema = defineEntity({
  name: 'ExperimentTag',
  tableName: 'experiment_tag',
  properties: {
    experiment: p.bigint('number').primary(),
    key: p.text().primary(),
    value: p.text(),
    tenantId: p.uuid(),
  },
});

/** A remark on an experiment; the last one stays. */
export class ExperimentTag extends ExperimentTagSchema.class {}
ExperimentTagSchema.setClass(ExperimentTag);
