import { defineEntity, p } from '@mikro-orm/core';

export const DatasetHoldSchema = defineEntity({
  name: 'DatasetHold',
  tableName: 'dataset_hold',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    versionId: p.uuid(),
    holderKind: p.text(),
    holderId: p.uuid(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

export class DatasetHold extends DatasetHoldSchema.class {}
DatasetHoldSchema.setClass(DatasetHold);
