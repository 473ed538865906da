import { defineEntity, p } from '@mikro-orm/core';

export const ExternalSourceSchema = defineEntity({
  name: 'ExternalSource',
  tableName: 'external_source',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    /** The id people use, unique within the tenant. */
    key: p.text(),
    name: p.text(),
    /** Root of the three remote endpoints, without a trailing slash. */
    baseUrl: p.text(),
    /** Sealed for this row (source-token.ts); null: the source asks for none. */
    sealedToken: p.text().nullable(),
    description: p.text().default(''),
    /** False: nothing is asked of it, except by a test. */
    enabled: p.boolean().default(true),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** Another system that datasets are copied from. */
export class ExternalSource extends ExternalSourceSchema.class {}
ExternalSourceSchema.setClass(ExternalSource);

export const DatasetSourceSchema = defineEntity({
  name: 'DatasetSource',
  tableName: 'dataset_source',
  properties: {
    tenantId: p.uuid().primary(),
    datasetId: p.uuid().primary(),
    sourceId: p.uuid(),
    /** As the source names it. */
    remoteDatasetId: p.text(),
    /** Seconds between scheduled syncs; null: only when somebody asks. */
    intervalS: p.integer().nullable(),
    /** When the last sync was started, by whomever. */
    lastSyncAt: p.datetime().nullable(),
    failuresInRow: p.integer().default(0),
    linkedAt: p.datetime().defaultRaw('now()'),
    linkedBy: p.uuid().nullable(),
  },
});

/** Which remote dataset a dataset is a copy of. */
export class DatasetSource extends DatasetSourceSchema.class {}
DatasetSourceSchema.setClass(DatasetSource);
