import { defineEntity, p } from '@mikro-orm/core';
import { chunkColumns } from '../../workloads/logs/log-columns.js';

export const LogChunkSchema = defineEntity({
  name: 'LogChunk',
  tableName: 'log_chunk',
  properties: {
    experimentId: p.uuid().primary(),
    attempt: p.integer().primary(),
    ...chunkColumns(),
  },
});

/** A piece of the log of an attempt that runs or has just ended, of about 64 KiB; the last one still grows. */
export class LogChunk extends LogChunkSchema.class {}
LogChunkSchema.setClass(LogChunk);
