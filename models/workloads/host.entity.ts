import { defineEntity, p } from '@mikro-orm/core';
import type { HostFacts } from './host.types.js';

export const HostSchema = defineEntity({
  name: 'Host',
  tableName: 'host',
  properties: {
    /** Stored in the directory of its workloads. */
    id: p.uuid().primary(),
    name: p.text(),
    address: p.text(),
    dataDir: p.text(),
    memoryBytes: p.bigint('number'),
    /** Null: no limit. */
    maxJobs: p.integer().nullable(),
    facts: p.json<HostFacts>().defaultRaw(`'{}'`),
    startedAt: p.datetime(),
    seenAt: p.datetime(),
    /** Since when it is taken for lost; null while it counts. */
    goneAt: p.datetime().nullable(),
  },
});

/** A machine that runs workloads. */
export class Host extends HostSchema.class {}
HostSchema.setClass(Host);
