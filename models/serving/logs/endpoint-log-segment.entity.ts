import { defineEntity, p } from '@mikro-orm/core';
import { segmentColumns } from '../../workloads/logs/log-columns.js';

export const EndpointLogSegmentSchema = defineEntity({
  name: 'EndpointLogSegment',
  tableName: 'endpoint_log_segment',
  properties: {
    endpointId: p.uuid().primary(),
    instance: p.integer().primary(),
    ...segmentColumns(),
  },
});

/** A piece of such a log that has moved from rows into the object store. All segments of an instance come before its rows. */
export class EndpointLogSegment extends EndpointLogSegmentSchema.class {}
EndpointLogSegmentSchema.setClass(EndpointLogSegment);
