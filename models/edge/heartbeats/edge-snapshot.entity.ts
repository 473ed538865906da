import { defineEntity, p } from '@mikro-orm/core';

export const EdgeSnapshotSchema = defineEntity({
  name: 'EdgeSnapshot',
  tableName: 'edge_snapshot',
  properties: {
    /** Number of the device. */
    device: p.bigint('number').primary().autoincrement(false),
    tenantId: p.uuid(),
    cpu: p.float().columnType('double precision').nullable(),
    gpu: p.float().columnType('double precision').nullable(),
    mem: p.float().columnType('double precision').nullable(),
    disk: p.float().columnType('double precision').nullable(),
    /** The last heartbeat, as it was sent. */
    payload: p.json<Record<string, unknown>>().defaultRaw("'{}'"),
    lastHeartbeatAt: p.datetime().nullable(),
    /** Revision of the policy that the device says it follows. */
    appliedRevision: p.integer().nullable(),
  },
});

/** What a device said last; changed with every heartbeat. */
export class EdgeSnapshot extends EdgeSnapshotSchema.class {}
EdgeSnapshotSchema.setClass(EdgeSnapshot);
