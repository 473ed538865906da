import { defineEntity, p } from '@mikro-orm/core';
import type { WorkerFacts } from './process-heartbeat.types.js';

export const ProcessHeartbeatSchema = defineEntity({
  name: 'ProcessHeartbeat',
  tableName: 'process_heartbeat',
  properties: {
    process: p.text().$type<'worker' | 'api'>().primary(),
    /** `host:pid`, of an API with a random part behind. */
    place: p.text().primary(),
    startedAt: p.datetime(),
    seenAt: p.datetime(),
    facts: p.json<WorkerFacts>().defaultRaw(`'{}'`),
  },
});

export class ProcessHeartbeat extends ProcessHeartbeatSchema.class {}
ProcessHeartbeatSchema.setClass(ProcessHeartbeat);
