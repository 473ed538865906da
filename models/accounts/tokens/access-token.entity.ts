import { defineEntity, p } from '@mikro-orm/core';

export const AccessTokenSchema = defineEntity({
  name: 'AccessToken',
  tableName: 'access_token',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    userId: p.uuid(),
    kind: p.text().$type<'tracker' | 'registry'>(),
    name: p.text(),
    tokenHash: p.text(),
    readOnly: p.boolean(),
    createdAt: p.datetime().defaultRaw('now()'),
    expiresAt: p.datetime(),
    lastUsedAt: p.datetime().nullable(),
    expiryToldAt: p.datetime().nullable(),
  },
});

export class AccessToken extends AccessTokenSchema.class {}
AccessTokenSchema.setClass(AccessToken);
