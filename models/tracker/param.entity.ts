import { defineEntity, p } from '@mikro-orm/core';

export const ParamSchema = defineEntity({
  name: 'Param',
  tableName: 'param',
  properties: {
    run: p.bigint('number').primary(),
    key: p.text().primary(),
    value: p.text(),
    tenantId: p.uuid(),
  },
});

/** A setting of a run; written once. */
export class Param extends ParamSchema.class {}
ParamSchema.setClass(Param);
