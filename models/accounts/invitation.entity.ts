import { defineEntity, p } from '@mikro-orm/core';
import type { Role } from '../access/permission.rules.js';

export const InvitationSchema = defineEntity({
  name: 'Invitation',
  tableName: 'invitation',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    email: p.text(),
    role: p.text().$type<Role>(),
    createdAt: p.datetime().defaultRaw('now()'),
    expiresAt: p.datetime(),
  },
});

/** Whoever has the address may register, and gets the role once the address is verified. */
export class Invitation extends InvitationSchema.class {}
InvitationSchema.setClass(Invitation);
