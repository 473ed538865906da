import { defineEntity, p } from '@mikro-orm/core';
import { segmentColumns } from '../../workloads/logs/log-columns.js';

export const LogSegmentSchema = defineEntity({
  name: 'LogSegment',
  tableName: 'log_segment',
  properties: {
    experimentId: p.uuid().primary(),
    attempt: p.integer().primary(),
    ...segmentColumns(),
  },
});

/** A piece of a log that has moved from rows into the object store. All segments of an attempt come before its rows. */
export class LogSegment extends LogSegmentSchema.class {}
LogSegmentSchema.setClass(LogSegment);
