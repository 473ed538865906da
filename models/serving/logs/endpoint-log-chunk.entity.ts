import { defineEntity, p } from '@mikro-orm/core';
import { chunkColumns } from '../../workloads/logs/log-columns.js';

export const EndpointLogChunkSchema = defineEntity({
  name: 'EndpointLogChunk',
  tableName: 'endpoint_log_chunk',
  properties: {
    endpointId: p.uuid().primary(),
    instance: p.integer().primary(),
    ...chunkColumns(),
  },
});

/** A piece of the log of an instance of an endpoint, of about 64 KiB; the last one still grows. */
export class EndpointLogChunk extends EndpointLogChunkSchema.class {}
EndpointLogChunkSchema.setClass(EndpointLogChunk);
