import { AppError } from '../../core/errors/app-error.js';
import { GroupCommit } from '../../core/load/group-commit.js';
import type { IngestDatabase, IngestTransaction } from '../orm/ingest-database.js';
import { writeInference } from './inference-write.sql.js';
import type { NewInferenceBatch } from './inference-write.types.js';
import { writeTelemetry } from './telemetry-write.sql.js';
import type { NewTelemetryBatch, RecordBatch, WrittenBatch } from './telemetry-write.types.js';

/** Some 3,000 records of the usual size: larger groups gain nothing and make all of them wait. */
const GROUP_BYTES = 512 * 1024;
const WAITING_BYTES = 64 * 1024 * 1024;
/** What a record and a batch take beside their data. */
const RECORD_BYTES = 100;
const BATCH_BYTES = 500;

export type TelemetryWriter = GroupCommit<NewTelemetryBatch, WrittenBatch>;
export type InferenceWriter = GroupCommit<NewInferenceBatch, WrittenBatch>;

type Write<R> = (tx: IngestTransaction, batches: readonly RecordBatch<R>[]) => Promise<WrittenBatch[]>;

const createWriter = <R>(
  db: IngestDatabase,
  lanes: number,
  write: Write<R>,
  charsOf: (record: R) => number,
): GroupCommit<RecordBatch<R>, WrittenBatch> =>
  new GroupCommit({
    commit: (batches) => db.inIngest((tx) => write(tx, batches)),
    bytesOf: ({ records }) =>
      records.reduce((sum, record) => sum + charsOf(record) + RECORD_BYTES, BATCH_BYTES),
    keyOf: ({ device, key }) => `${device} ${key}`,
    maxGroupBytes: GROUP_BYTES,
    maxWaitingBytes: WAITING_BYTES,
    lanes,
    isOfOneBatch: (error) => !(error instanceof AppError && error.code === 'service_unavailable'),
  });

/**
 * The one way by which devices' telemetry is stored. A commit whose answer was lost is answered with 503 as any loss of the
 * database is: the device sends the batch again with its key, and gets the answer of the first where it was stored.
 * @param lanes at most the connections of the pool
 */
export const createTelemetryWriter = (db: IngestDatabase, lanes: number): TelemetryWriter =>
  createWriter(db, lanes, writeTelemetry, ({ data }) => data.length);

/** The same for records of inference. */
export const createInferenceWriter = (db: IngestDatabase, lanes: number): InferenceWriter =>
  createWriter(db, lanes, writeInference, ({ result }) => result.length);
