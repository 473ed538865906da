import { AppError } from '../../../core/errors/app-error.js';
import { GroupCommit } from '../../../core/load/group-commit.js';
import type { IngestDatabase } from '../../orm/ingest-database.js';
import { writeHeartbeats } from './heartbeat-write.sql.js';
import type { NewHeartbeat, WrittenHeartbeat } from './heartbeat.types.js';

const GROUP_BYTES = 512 * 1024;
const WAITING_BYTES = 16 * 1024 * 1024;
/** What a heartbeat takes beside its payload. */
const BEAT_BYTES = 300;

export type HeartbeatWriter = GroupCommit<NewHeartbeat, WrittenHeartbeat>;

/** The one way by which heartbeats are stored: those that come together share a commit. @param lanes at most the connections of the pool */
export const createHeartbeatWriter = (db: IngestDatabase, lanes: number): HeartbeatWriter =>
  new GroupCommit({
    commit: (beats) => db.inIngest((tx) => writeHeartbeats(tx, beats)),
    bytesOf: ({ payload }) => payload.length + BEAT_BYTES,
    keyOf: ({ device }) => String(device.number),
    maxGroupBytes: GROUP_BYTES,
    maxWaitingBytes: WAITING_BYTES,
    lanes,
    isOfOneBatch: (error) => !(error instanceof AppError && error.code === 'service_unavailable'),
  });
