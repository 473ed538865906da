import { defineEntity, p } from '@mikro-orm/core';

export const EndpointLogChunkSchema = defineEntity({
  name: 'EndpointLogChunk',
  tableName: 'endpoint_log_chunk',
  properties: {
    endpointId: p.uuid().primary(),
    instance: p.integer().primary(),
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

/** A piece of the log of an instance of an endpoint, of about 64 KiB; the last one still grows. */
export class EndpointLogChunk extends EndpointLogChunkSchema.class {}
EndpointLogChunkSchema.setClass(EndpointLogChunk);
