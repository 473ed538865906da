import { AppError } from '../../core/errors/app-error.js';
import { GroupCommit } from '../../core/load/group-commit.js';
import { lacksPartition } from '../orm/errors.js';
import type { IngestDatabase, IngestTransaction } from '../orm/ingest-database.js';
import { writeHeartbeats } from './heartbeats/heartbeat-write.sql.js';
import type { NewHeartbeat, WrittenHeartbeat } from './heartbeats/heartbeat.types.js';
import { writeInference } from './inference-write.sql.js';
import type { NewInferenceBatch } from './inference-write.types.js';
import { writeTelemetry } from './telemetry-write.sql.js';
import type { NewTelemetryBatch, RecordBatch, WrittenBatch } from './telemetry-write.types.js';

const MIB = 1024 * 1024;
/** Some 3,000 records of the usual size: larger groups gain nothing and make all of them wait. */
const GROUP_BYTES = 512 * 1024;
/** What a record, a batch and a heartbeat take beside their data. */
const RECORD_BYTES = 100;
const BATCH_BYTES = 500;
const BEAT_BYTES = 300;

export type TelemetryWriter = GroupCommit<NewTelemetryBatch, WrittenBatch>;
export type InferenceWriter = GroupCommit<NewInferenceBatch, WrittenBatch>;
export type HeartbeatWriter = GroupCommit<NewHeartbeat, WrittenHeartbeat>;

interface Kind<I, O> {
  readonly write: (tx: IngestTransaction, items: readonly I[]) => Promise<O[]>;
  readonly bytesOf: (item: I) => number;
  readonly keyOf: (item: I) => string;
  readonly maxWaitingBytes: number;
}

/** @param lanes at most the connections of the pool */
const createWriter = <I, O>(db: IngestDatabase, lanes: number, { write, ...rest }: Kind<I, O>) =>
  new GroupCommit<I, O>({
    ...rest,
    lanes,
    commit: (items) => db.inIngest((tx) => write(tx, items)),
    maxGroupBytes: GROUP_BYTES,
    // Days without a partition are those of one class of retention.
    isOfOneBatch: (error) =>
      !(error instanceof AppError && error.code === 'service_unavailable') || lacksPartition(error),
  });

const ofRecords = <R>(charsOf: (record: R) => number): Omit<Kind<RecordBatch<R>, WrittenBatch>, 'write'> => ({
  bytesOf: ({ records }) =>
    records.reduce((sum, record) => sum + charsOf(record) + RECORD_BYTES, BATCH_BYTES),
  keyOf: ({ device, key }) => `${device} ${key}`,
  maxWaitingBytes: 64 * MIB,
});

/**
 * The one way by which devices' telemetry is stored. A commit whose answer was lost is answered with 503 as any loss of the
 * database is: the device sends the batch again with its key, and gets the answer of the first where it was stored.
 */
export const createTelemetryWriter = (db: IngestDatabase, lanes: number): TelemetryWriter =>
  createWriter(db, lanes, { write: writeTelemetry, ...ofRecords(({ data }) => data.length) });

/** The same for records of inference. */
export const createInferenceWriter = (db: IngestDatabase, lanes: number): InferenceWriter =>
  createWriter(db, lanes, { write: writeInference, ...ofRecords(({ result }) => result.length) });

/** The one way by which heartbeats are stored: those that come together share a commit. */
export const createHeartbeatWriter = (db: IngestDatabase, lanes: number): HeartbeatWriter =>
  createWriter(db, lanes, {
    write: writeHeartbeats,
    bytesOf: ({ payload }) => payload.length + BEAT_BYTES,
    keyOf: ({ device }) => String(device.number),
    maxWaitingBytes: 16 * MIB,
  });
