import { defineEntity, p } from '@mikro-orm/core';

export const NotificationMailSchema = defineEntity({
  name: 'NotificationMail',
  tableName: 'notification_mail',
  properties: {
    userId: p.uuid().primary(),
    /** When the next mail is to be written; null: nothing waits. */
    dueAt: p.datetime().nullable(),
    /** Null before the first. */
    sentAt: p.datetime().nullable(),
  },
});

export class NotificationMail extends NotificationMailSchema.class {}
NotificationMailSchema.setClass(NotificationMail);
