import { defineEntity, p } from '@mikro-orm/core';

export const NotificationSchema = defineEntity({
  name: 'Notification',
  tableName: 'notification',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    /** Null: what concerns the platform or the person alone. */
    tenantId: p.uuid().nullable(),
    userId: p.uuid(),
    kind: p.text(),
    subject: p.text(),
    /** Addressed by name, not as a member with a role. */
    isPersonal: p.boolean(),
    title: p.text(),
    body: p.text(),
    link: p.text().nullable(),
    /** Requests that the entry stands for. */
    count: p.integer().default(1),
    inApp: p.boolean(),
    awaitsMail: p.boolean(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    readAt: p.datetime().nullable(),
  },
});

export class Notification extends NotificationSchema.class {}
NotificationSchema.setClass(Notification);
