import { defineEntity, p } from '@mikro-orm/core';
import type { StoredPrefs } from './notification.types.js';

export const NotificationPreferenceSchema = defineEntity({
  name: 'NotificationPreference',
  tableName: 'notification_preference',
  properties: {
    userId: p.uuid().primary(),
    /** What differs from the catalog's defaults. */
    prefs: p.json<StoredPrefs>(),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

export class NotificationPreference extends NotificationPreferenceSchema.class {}
NotificationPreferenceSchema.setClass(NotificationPreference);
