import { AppError } from '../../core/errors/app-error.js';
import { GroupCommit } from '../../core/load/group-commit.js';
import type { IngestDatabase } from '../orm/ingest-database.js';
import { writeTelemetry } from './telemetry-write.sql.js';
import type { NewTelemetryBatch, WrittenBatch } from './telemetry-write.types.js';

/** Some 3,000 records of the usual size: larger groups gain nothing and make all of them wait. */
const GROUP_BYTES = 512 * 1024;
const WAITING_BYTES = 64 * 1024 * 1024;
/** What a record and a batch take beside their data. */
const RECORD_BYTES = 100;
const BATCH_BYTES = 500;

export type TelemetryWriter = GroupCommit<NewTelemetryBatch, WrittenBatch>;

/**
 * The one way by which devices' records are stored. A commit whose answer was lost is answered with 503 as any loss of the
 * database is: the device sends the batch again with its key, and gets the answer of the first where it was stored.
 * @param lanes at most the connections of the pool
 */
export const createTelemetryWriter = (db: IngestDatabase, lanes: number): TelemetryWriter =>
  new GroupCommit({
    commit: (batches) => db.inIngest((tx) => writeTelemetry(tx, batches)),
    bytesOf: ({ records }) =>
      records.reduce((sum, { data }) => sum + data.length + RECORD_BYTES, BATCH_BYTES),
    keyOf: ({ device, key }) => `${device} ${key}`,
    maxGroupBytes: GROUP_BYTES,
    maxWaitingBytes: WAITING_BYTES,
    lanes,
    isOfOneBatch: (error) => !(error instanceof AppError && error.code === 'service_unavailable'),
  });
