import { defineEntity, p } from '@mikro-orm/core';

export const TrackerDatasetSchema = defineEntity({
  name: 'TrackerDataset',
  tableName: 'tracker_dataset',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    tenantId: p.uuid(),
    experiment: p.bigint('number'),
    name: p.text(),
    digest: p.text(),
    sourceType: p.text(),
    /** Where it can be had, as the client said it. */
    source: p.text(),
    schema: p.text().nullable(),
    profile: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** What a client says of data it used, once for each experiment, name and digest. Not a dataset of the platform. */
export class TrackerDataset extends TrackerDatasetSchema.class {}
TrackerDatasetSchema.setClass(TrackerDataset);
