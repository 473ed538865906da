import { defineEntity, p } from '@mikro-orm/core';

/** An open event stream. It counts while the heartbeat of its process is younger than the lease. */
export const StreamSeatSchema = defineEntity({
  name: 'StreamSeat',
  tableName: 'stream_seat',
  properties: {
    id: p.uuid().primary(),
    process: p.text().$type<'api'>().default('api'),
    place: p.text(),
    userId: p.uuid(),
    /** Null: a stream of a person or of a global administrator. */
    tenantId: p.uuid().nullable(),
  },
});

export class StreamSeat extends StreamSeatSchema.class {}
StreamSeatSchema.setClass(StreamSeat);
