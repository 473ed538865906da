import { defineEntity, p } from '@mikro-orm/core';

export const EndpointLogSegmentSchema = defineEntity({
  name: 'EndpointLogSegment',
  tableName: 'endpoint_log_segment',
  properties: {
    endpointId: p.uuid().primary(),
    instance: p.integer().primary(),
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

/** A piece of such a log that has moved from rows into the object store. All segments of an instance come before its rows. */
export class EndpointLogSegment extends EndpointLogSegmentSchema.class {}
EndpointLogSegmentSchema.setClass(EndpointLogSegment);
