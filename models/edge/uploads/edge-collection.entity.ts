import { defineEntity, p } from '@mikro-orm/core';

export const EdgeCollectionSchema = defineEntity({
  name: 'EdgeCollection',
  tableName: 'edge_collection',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    /** Set for uploads of this device that name no dataset. */
    deviceId: p.uuid().nullable(),
    /** Set for uploads that name this dataset, which was frozen. */
    askedId: p.uuid().nullable(),
    datasetId: p.uuid(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** The dataset that takes uploads which cannot go where they ask. */
export class EdgeCollection extends EdgeCollectionSchema.class {}
EdgeCollectionSchema.setClass(EdgeCollection);
