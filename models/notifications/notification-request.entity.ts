import { defineEntity, p } from '@mikro-orm/core';

export const NotificationRequestSchema = defineEntity({
  name: 'NotificationRequest',
  tableName: 'notification_request',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    tenantId: p.uuid().nullable(),
    kind: p.text(),
    subject: p.text(),
    /** Is notified besides the kind's audience; null: nobody else. */
    userId: p.uuid().nullable(),
    title: p.text(),
    body: p.text(),
    link: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('clock_timestamp()'),
  },
});

export class NotificationRequest extends NotificationRequestSchema.class {}
NotificationRequestSchema.setClass(NotificationRequest);
