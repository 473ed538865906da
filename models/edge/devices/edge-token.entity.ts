import { defineEntity, p } from '@mikro-orm/core';
import type { DeviceScope } from './device-scopes.rules.js';

export const EdgeTokenSchema = defineEntity({
  name: 'EdgeToken',
  tableName: 'edge_token',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    deviceId: p.uuid(),
    /** HMAC-SHA256 under a key derived from the server key `keyId`. */
    tokenHash: p.text(),
    keyId: p.text(),
    scopes: p.json<DeviceScope[]>(),
    expiresAt: p.datetime(),
    /** Null: not revoked. */
    revokedAt: p.datetime().nullable(),
    expiryToldAt: p.datetime().nullable(),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** The one token of a device. */
export class EdgeToken extends EdgeTokenSchema.class {}
EdgeTokenSchema.setClass(EdgeToken);
