import { defineEntity, p } from '@mikro-orm/core';

export const RunModelSchema = defineEntity({
  name: 'RunModel',
  tableName: 'run_model',
  properties: {
    run: p.bigint('number').primary(),
    direction: p.text().$type<'input' | 'output'>().primary(),
    /** Short id of the logged model. */
    model: p.bigint('number').primary(),
    step: p.bigint('number').default(0),
    tenantId: p.uuid(),
  },
});

/** A run read or made this model. */
export class RunModel extends RunModelSchema.class {}
RunModelSchema.setClass(RunModel);
