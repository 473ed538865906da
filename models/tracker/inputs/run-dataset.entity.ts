import { defineEntity, p } from '@mikro-orm/core';

export const RunDatasetSchema = defineEntity({
  name: 'RunDataset',
  tableName: 'run_dataset',
  properties: {
    run: p.bigint('number').primary(),
    dataset: p.bigint('number').primary(),
    tags: p.json<Readonly<Record<string, string>>>().defaultRaw(`'{}'`),
    tenantId: p.uuid(),
  },
});

/** A run used this data; the tags say for what, such as training. */
export class RunDataset extends RunDatasetSchema.class {}
RunDatasetSchema.setClass(RunDataset);
