import { defineEntity, p } from '@mikro-orm/core';

/** A device that was deleted and may have left records. */
export const EdgeDeviceRemovalSchema = defineEntity({
  name: 'EdgeDeviceRemoval',
  tableName: 'edge_device_removal',
  properties: {
    device: p.bigint('number').primary().autoincrement(false),
    tenantId: p.uuid(),
    removedAt: p.datetime().defaultRaw('now()'),
  },
});

export class EdgeDeviceRemoval extends EdgeDeviceRemovalSchema.class {}
EdgeDeviceRemovalSchema.setClass(EdgeDeviceRemoval);
