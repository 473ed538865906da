import { defineEntity, p } from '@mikro-orm/core';
import type { Role } from '../access/permission.rules.js';

export const UserSchema = defineEntity({
  name: 'User',
  tableName: 'user_account',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    email: p.text(),
    passwordHash: p.text().hidden(),
    fullName: p.text().nullable(),
    phone: p.text().nullable(),
    isActive: p.boolean().default(true),
    isVerified: p.boolean().default(false),
    /** Counts the changes of the address: a token mailed to an earlier one is worth nothing. */
    emailChanges: p.integer().default(0),
    verificationChanges: p.integer().default(0),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A person's account. Whether it is a global administrator stands in its memberships alone. */
export class User extends UserSchema.class {}
UserSchema.setClass(User);

export const MembershipSchema = defineEntity({
  name: 'Membership',
  tableName: 'membership',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    userId: p.uuid(),
    /** Null: the role holds in every tenant (global administrator). */
    tenantId: p.uuid().nullable(),
    role: p.text().$type<Role>(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

export class Membership extends MembershipSchema.class {}
MembershipSchema.setClass(Membership);
