import { defineEntity, p } from '@mikro-orm/core';
import type { CommandState } from './command.types.js';

export const EdgeCommandSchema = defineEntity({
  name: 'EdgeCommand',
  tableName: 'edge_command',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    deviceId: p.uuid(),
    type: p.text(),
    args: p.json<Record<string, unknown>>().defaultRaw("'{}'"),
    state: p.text().$type<CommandState>().default('pending'),
    /** Null: never. */
    expiresAt: p.datetime().nullable(),
    deliveries: p.integer().default(0),
    deliveredAt: p.datetime().nullable(),
    leaseUntil: p.datetime().nullable(),
    /** What the device said last while it was at it. */
    progress: p.json<Record<string, unknown>>().nullable(),
    result: p.json<Record<string, unknown>>().nullable(),
    finishedAt: p.datetime().nullable(),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** Something a device is to do. */
export class EdgeCommand extends EdgeCommandSchema.class {}
EdgeCommandSchema.setClass(EdgeCommand);
