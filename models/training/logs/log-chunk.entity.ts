import { defineEntity, p } from '@mikro-orm/core';

export const LogChunkSchema = defineEntity({
  name: 'LogChunk',
  tableName: 'log_chunk',
  properties: {
    experimentId: p.uuid().primary(),
    attempt: p.integer().primary(),
    /** Where its text begins in the whole log, in bytes of UTF-8. */
    fromByte: p.bigint('number').primary(),
    toByte: p.bigint('number'),
    /** Where reading the workload's own log goes on; differs from `toByte` where bytes were no text. */
    sourceEnd: p.bigint('number'),
    text: p.text(),
    tenantId: p.uuid(),
    /** When its last bytes came. */
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** A piece of the log of an attempt that runs or has just ended, of about 64 KiB; the last one still grows. */
export class LogChunk extends LogChunkSchema.class {}
LogChunkSchema.setClass(LogChunk);
