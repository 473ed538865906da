import { defineEntity, p } from '@mikro-orm/core';

export const LogSegmentSchema = defineEntity({
  name: 'LogSegment',
  tableName: 'log_segment',
  properties: {
    experimentId: p.uuid().primary(),
    attempt: p.integer().primary(),
    /** Where its text begins in the whole log, in bytes of UTF-8. */
    fromByte: p.bigint('number').primary(),
    toByte: p.bigint('number'),
    /** Where reading the workload's own log goes on. */
    sourceEnd: p.bigint('number'),
    sha256: p.text(),
    sizeBytes: p.bigint('number'),
    objectKey: p.text(),
    tenantId: p.uuid(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** A piece of a log that has moved from rows into the object store. All segments of an attempt come before its rows. */
export class LogSegment extends LogSegmentSchema.class {}
LogSegmentSchema.setClass(LogSegment);
