import { defineEntity, p } from '@mikro-orm/core';
import type { RetentionClass } from '../../tenants/retention-class.rules.js';

/** One heartbeat of a device, in a partition by class of retention and day of receipt. */
export const EdgeHeartbeatSchema = defineEntity({
  name: 'EdgeHeartbeat',
  tableName: 'edge_heartbeat',
  properties: {
    tenantId: p.uuid(),
    /** Number of the device. */
    device: p.bigint('number').primary(),
    receivedAt: p.datetime().primary(),
    id: p.bigint('number').primary().autoincrement(),
    /** 0: without limit. */
    keptDays: p.smallint().$type<RetentionClass>().primary(),
    cpu: p.float().columnType('double precision').nullable(),
    gpu: p.float().columnType('double precision').nullable(),
    mem: p.float().columnType('double precision').nullable(),
    disk: p.float().columnType('double precision').nullable(),
    payload: p.json<Record<string, unknown>>(),
  },
});

export class EdgeHeartbeat extends EdgeHeartbeatSchema.class {}
EdgeHeartbeatSchema.setClass(EdgeHeartbeat);
