import { defineEntity, p } from '@mikro-orm/core';

export const TagSchema = defineEntity({
  name: 'Tag',
  tableName: 'tag',
  properties: {
    run: p.bigint('number').primary(),
    key: p.text().primary(),
    value: p.text(),
    tenantId: p.uuid(),
  },
});

/** A remark on a run; the last one stays. */
export class Tag extends TagSchema.class {}
TagSchema.setClass(Tag);
