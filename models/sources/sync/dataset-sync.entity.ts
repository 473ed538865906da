import { defineEntity, p } from '@mikro-orm/core';
import type { Actor } from '../../audit/audit.types.js';
import type { SyncFinding, SyncPlan, SyncStatus, SyncTrigger } from './dataset-sync.types.js';

export const DatasetSyncSchema = defineEntity({
  name: 'DatasetSync',
  tableName: 'dataset_sync',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    datasetId: p.uuid(),
    /** Names the source as it was; it may have gone. */
    sourceId: p.uuid(),
    /** The id people use for it. */
    sourceKey: p.text(),
    sourceName: p.text(),
    remoteDatasetId: p.text(),
    trigger: p.text().$type<SyncTrigger>(),
    status: p.text().$type<SyncStatus>().default('queued'),
    /** What is under way, or why it ended as it did. */
    statusMessage: p.text().nullable(),
    cancelAskedAt: p.datetime().nullable(),
    /** Who wants the dataset deleted once this has ended. */
    deleteAskedBy: p.json<Actor>().nullable(),
    /** Since when the source gives nothing; null while it answers. */
    awaySince: p.datetime().nullable(),
    awayTries: p.integer().default(0),
    failuresInRow: p.integer().default(0),
    /** The attempt that may write the manifest. */
    planAttempt: p.integer().default(0),
    /** Null until the manifest was compared. */
    plan: p.json<SyncPlan>().nullable(),
    /** How many files are to be copied. */
    filesTotal: p.bigint('number').default(0),
    filesDone: p.bigint('number').default(0),
    bytesTotal: p.bigint('number').default(0),
    bytesDone: p.bigint('number').default(0),
    warnings: p.json<readonly SyncFinding[]>().defaultRaw(`'[]'`),
    warningCount: p.bigint('number').default(0),
    errors: p.json<readonly SyncFinding[]>().defaultRaw(`'[]'`),
    errorCount: p.bigint('number').default(0),
    startedAt: p.datetime().nullable(),
    copyStartedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
    /** Highest position handed out in the lane of small and in that of large files; -1: none. */
    takenSmall: p.integer().default(-1),
    takenLarge: p.integer().default(-1),
    createdBy: p.uuid().nullable(),
    createdByEmail: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** One run that makes a dataset what its source's manifest says. */
export class DatasetSync extends DatasetSyncSchema.class {}
DatasetSyncSchema.setClass(DatasetSync);
