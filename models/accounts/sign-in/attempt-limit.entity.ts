import { defineEntity, p } from '@mikro-orm/core';

export const AttemptLimitSchema = defineEntity({
  name: 'AttemptLimit',
  tableName: 'attempt_limit',
  properties: {
    key: p.text().primary(),
    used: p.integer(),
    resetsAt: p.datetime(),
  },
});

export class AttemptLimit extends AttemptLimitSchema.class {}
AttemptLimitSchema.setClass(AttemptLimit);
