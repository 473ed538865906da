import { defineEntity, p } from '@mikro-orm/core';

export const AuthSessionSchema = defineEntity({
  name: 'AuthSession',
  tableName: 'auth_session',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    userId: p.uuid(),
    kind: p.text().$type<'cookie' | 'jwt'>(),
    tokenHash: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    expiresAt: p.datetime().nullable(),
    /** To a few minutes: the sign-in used longest ago makes room for another. */
    lastUsedAt: p.datetime().defaultRaw('now()'),
    ip: p.text().nullable(),
    userAgent: p.text().nullable(),
  },
});

export class AuthSession extends AuthSessionSchema.class {}
AuthSessionSchema.setClass(AuthSession);
